import type { Band, Column, Strata } from '../src/api'
import { Random, same, test } from './harness'
import { bandAt, type Box, columnOf, cycleAt, draftOf, frameOf, guestOf, heightAt, highest, layOut, panned, runsOf, spanOf, ticks,
  withGuest, xOf, yOf, zoomed } from '../src/strata/layout'

function strata(columns: Column[], step = 1): Strata {
  return {
    unit: 'bytes', from: 1, to: columns.length * step, step, max: Math.max(...columns.map((c) => c.size)),
    kinds: ['system', 'user'], actors: [''], columns,
  }
}

function column(cycle: number, shared: number, keep: number, bands: Band[], size: number): Column {
  return { cycle, size, shared, cut: null, cached: null, keep, bands }
}

const band = (height: number, id: string): Band => [height, 0, 1, id, 1, 0, height]

test('a band runs through the calls that carry it', () => {
  const layout = layOut(strata([
    column(1, 0, 0, [band(10, 'a'), band(5, 'b')], 15),
    column(2, 15, 2, [band(7, 'c')], 22),
    column(3, 10, 1, [band(7, 'c')], 17),
  ]))
  same(layout.boxes.map((b) => [b.band[3], b.left, b.right, b.bottom, b.top, b.fresh]), [
    ['a', 0, 1, 0, 10, true], ['b', 0, 1, 10, 15, true],
    ['a', 1, 3, 0, 10, false], ['b', 1, 2, 10, 15, false], ['c', 1, 2, 15, 22, true],
    ['c', 2, 3, 10, 17, true],
  ])
})

test('a band of several blocks is pale up to the height that is shared', () => {
  const layout = layOut(strata([column(1, 0, 0, [[20, 0, 4, 'a', 1, 0, 6]], 20), column(2, 12, 1, [], 20)]))
  same(layout.boxes.slice(1).map((b) => [b.bottom, b.top, b.fresh]), [[0, 12, false], [12, 20, true]])
})

test('every place of a column is in exactly one box, and the band there is found', () => {
  const random = new Random(7)
  for (let round = 0; round < 60; round++) {
    const columns: Column[] = []
    let stack: Band[] = []
    for (let cycle = 1; cycle <= 12; cycle++) {
      const keep = random.below(stack.length + 1)
      const added = Array.from({ length: random.below(4) }, (_, i) =>
        band(1 + random.below(9), cycle + '-' + i))
      stack = [...stack.slice(0, keep), ...added]
      const size = stack.reduce((sum, b) => sum + b[0], 0)
      columns.push(column(cycle, random.below(size + 1), keep, added, size))
    }
    const data = strata(columns)
    const layout = layOut(data)
    const parted = layout.boxes.filter((b) => layout.boxes.some((next) => next.left === b.right && next.fresh === b.fresh &&
      next.bottom === b.bottom && next.top === b.top && next.band[3] === b.band[3]))
    same(parted, [])
    columns.forEach((c, i) => {
      for (let height = 0; height < c.size; height++) {
        const found = layout.boxes.filter((b) => b.left <= i && i < b.right && b.bottom <= height && height < b.top)
        same(found.length, 1, `call ${c.cycle} at ${height}`)
        same(found[0]!.fresh, height >= c.shared)
        same(bandAt(layout, i, height)![3], found[0]!.band[3])
      }
      same([bandAt(layout, i, -1), bandAt(layout, i, c.size)], [undefined, undefined])
    })
  }
})

test('calls have columns, also where one stands for several', () => {
  const data = strata([column(3, 0, 0, [band(1, 'a')], 1), column(6, 1, 1, [], 1), column(8, 1, 1, [], 1)], 3)
  data.to = 8
  same([1, 3, 4, 6, 7, 8, 0, 10].map((cycle) => columnOf(data, cycle)), [0, 0, 1, 1, 2, 2, -1, -1])
  same([0, 1, 2].map((i) => spanOf(data, i)), [[1, 4], [4, 7], [7, 9]])
  same(highest(data, [1, 8]), 1)
})

test('places on the canvas and back', () => {
  const frame = frameOf([11, 60], 4000, { x: 50, y: 10, width: 1000, height: 200 })
  same(frame.wide, 20)
  for (let cycle = 11; cycle <= 60; cycle++) same(cycleAt(frame, xOf(frame, cycle) + 0.5), cycle)
  same([yOf(frame, 0), yOf(frame, 4000), heightAt(frame, 110)], [210, 10, 2000])
  same(frameOf([1, 3], 1, { x: 0, y: 0, width: 1000, height: 100 }).wide, 150, 'few calls do not fill the width:')
})

test('axes have round numbers', () => {
  same(ticks(43_210, 4), [0, 20_000, 40_000])
  same(ticks(9, 4), [0, 5])
  same(ticks(1, 4), [0, 1])
})

test('zooming stays within the calls and keeps the one below the pointer', () => {
  const all: [number, number] = [1, 100]
  same(zoomed(all, all, 50, 0.5), [26, 75])
  same(zoomed([26, 75], all, 50, 2), null)
  same(zoomed([1, 10], all, 1, 0.5), [1, 5])
  same(zoomed([1, 5], all, 3, 0.5), [1, 5])
  same(zoomed([90, 100], all, 100, 0.5)![1], 100)
  same(panned([10, 20], 25), [15, 25])
  same(panned([10, 20], 5), [5, 15])
  same(panned([10, 20], 15), [10, 20])
})

test('a block is one run as long as it stays at its place', () => {
  const box = (left: number, right: number, bottom: number, node: string): Box =>
    ({ left, right, bottom, top: bottom + 5, fresh: left === 0, band: [5, 0, 1, node, 1, 0, 5] })
  const boxes = [box(0, 1, 0, 'a'), box(0, 3, 5, 'b'), box(1, 3, 0, 'a'), box(3, 4, 5, 'a')]
  same(runsOf(boxes, 'a'), [{ left: 0, edges: [[0, 5], [0, 5], [0, 5], [5, 10]] }])
  same(runsOf([boxes[0]!, boxes[3]!], 'a').map((run) => run.left), [0, 3])
})

test('the draft and a call of another context stand behind the calls, as wide as a column', () => {
  const data = strata([column(3, 0, 0, [band(1, 'a')], 1), column(6, 1, 1, [], 1), { ...column(7, 1, 1, [], 1), draft: true }], 3)
  data.to = 6
  const other = strata([column(1, 0, 0, [band(2, 'x')], 1), column(2, 2, 1, [band(5, 'y')], 1)])
  const both = withGuest(data, other, 'other@c2', 2, true)
  same([6, 7, 9, 10, 12, 13].map((cycle) => columnOf(both, cycle)), [1, 2, 2, 3, 3, -1])
  same([draftOf(both), guestOf(both), guestOf(data)], [7, 10, null])
  same(layOut(both).boxes.filter((box) => box.left === 3).map((box) => [box.band[3], box.right, box.fresh]),
    [['x', 4, false], ['y', 4, true]])
  const frame = frameOf([1, 6], 7, { x: 0, y: 0, width: 300, height: 100 }, 3, 2)
  same([frame.wide, xOf(frame, 7), xOf(frame, 10), xOf(frame, 13)], [25, 150, 225, 300])
  same([149, 151, 226].map((x) => cycleAt(frame, x)), [6, 7, 10])
})
