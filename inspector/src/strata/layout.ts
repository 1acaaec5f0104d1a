// Works out what the picture has where. Nothing here touches the page, so that tests can
// check it without one.
import type { Band, Column, Strata } from '../api'

/** A band of the picture: one block, or several low ones, through all neighbouring columns
 * that have them at the same height. Columns are indices, heights are in the unit. */
export interface Box {
  /** First column and the column after the last one. */
  left: number
  right: number
  bottom: number
  top: number
  /** Whether the call before did not have the same bytes at the same place. */
  fresh: boolean
  band: Band
}

/** A picture with its places. */
export interface Layout {
  strata: Strata
  boxes: Box[]
  /** The column that was looked at last. */
  looked: { column: number; stack: Band[]; tops: number[] }
}

/** Returns the bands of a column, from the bottom. */
export function stackOf(strata: Strata, column: number): Band[] {
  const stack: Band[] = []
  for (const c of strata.columns.slice(0, column + 1)) stack.splice(c.keep, Infinity, ...c.bands)
  return stack
}

/** Returns the heights at which bands end. */
function topsOf(stack: Band[]): number[] {
  let top = 0
  return stack.map((band) => (top += band[0]))
}

/** Finds the place of everything. Cost: a few steps for each band that the column before does
 * not have or that was new there, and one for each other. */
export function layOut(strata: Strata): Layout {
  const boxes: Box[] = []
  const stack: Band[] = []
  const tops: number[] = []
  /** The boxes of the column before, from the bottom without gaps. */
  let open: Box[] = []
  strata.columns.forEach((column, i) => {
    if (column.guest !== undefined) { // it goes on from no other
      for (const box of open) box.right = i
      open = []
      stack.length = tops.length = 0
    }
    const limit = Math.min(column.shared, column.keep > 0 ? tops[column.keep - 1]! : 0)
    // A whole band that was pale and stays so goes on as it is.
    let same = 0
    while (same < open.length && !open[same]!.fresh && open[same]!.top <= limit && isWhole(open[same]!)) same++
    let bottom = same > 0 ? open[same - 1]!.top : 0
    stack.length = tops.length = column.keep
    for (const band of column.bands) {
      tops.push((tops[tops.length - 1] ?? 0) + band[0])
      stack.push(band)
    }
    const before = new Map<number, Box>()
    for (const box of open.slice(same)) {
      box.right = i // unless it goes on
      before.set(box.bottom, box)
    }
    open.length = same
    for (let k = firstAbove(tops, bottom); k < stack.length; k++) {
      const [band, top] = [stack[k]!, tops[k]!]
      // A band of several blocks can be the same in part only.
      const border = Math.min(Math.max(column.shared, bottom), top)
      for (const [from, to, fresh] of [[bottom, border, false], [border, top, true]] as const) {
        if (from >= to) continue
        let box = before.get(from)
        if (!box || box.top !== to || box.fresh !== fresh || !sameBlocks(box.band, band)) {
          box = { left: i, right: i, bottom: from, top: to, fresh, band }
          boxes.push(box)
        }
        open.push(box)
      }
      bottom = top
    }
  })
  for (const box of open) box.right = strata.columns.length
  return { strata, boxes, looked: { column: -1, stack: [], tops: [] } }
}

/** Whether a box is all of its band. */
function isWhole(box: Box): boolean {
  return box.top - box.bottom === box.band[0]
}

/** Returns the index of the first of some heights that is above another, their number if none is. */
function firstAbove(tops: number[], height: number): number {
  let low = 0
  let high = tops.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (tops[middle]! > height) high = middle
    else low = middle + 1
  }
  return low
}

function sameBlocks(a: Band, b: Band): boolean {
  return a[3] === b[3] && a[1] === b[1] && a[2] === b[2]
}

/** A block in neighbouring columns: where it begins, and its bottom and top in each. */
export interface Run {
  left: number
  edges: [number, number][]
}

/** Returns the runs of neighbouring columns that have a block. */
export function runsOf(boxes: Box[], node: string): Run[] {
  const runs: Run[] = []
  for (const box of boxes.filter((b) => b.band[3] === node).sort((a, b) => a.left - b.left || a.bottom - b.bottom)) {
    for (let i = box.left; i < box.right; i++) {
      const last = runs.at(-1)
      const edge = last?.edges[i - last.left]
      if (edge) edge[1] = box.top // a band that is the same in part only
      else if (last && last.left + last.edges.length === i) last.edges.push([box.bottom, box.top])
      else runs.push({ left: i, edges: [[box.bottom, box.top]] })
    }
  }
  return runs
}

/** Returns the band of a column at a height, undefined if there is none. */
export function bandAt(layout: Layout, column: number, height: number): Band | undefined {
  if (column < 0 || height < 0) return undefined
  if (layout.looked.column !== column) {
    const stack = stackOf(layout.strata, column)
    layout.looked = { column, stack, tops: topsOf(stack) }
  }
  return layout.looked.stack[firstAbove(layout.looked.tops, height)]
}

/** Returns how many columns are calls. Those behind them are the draft and a guest. */
function callColumns(strata: Strata): number {
  return Math.ceil((strata.to - strata.from + 1) / strata.step)
}

/** Returns the column that shows a call, -1 if none does. */
export function columnOf(strata: Strata, cycle: number): number {
  const behind = cycle - strata.to - 1
  const i = behind < 0 ? Math.floor((cycle - strata.from) / strata.step)
    : callColumns(strata) + Math.floor(behind / strata.step)
  return i >= 0 && i < strata.columns.length ? i : -1
}

/** Returns where a column begins and where the next one does, in calls. */
export function spanOf(strata: Strata, column: number): [number, number] {
  const behind = column - callColumns(strata)
  const first = behind < 0 ? strata.from + column * strata.step : strata.to + 1 + behind * strata.step
  return [first, behind < 0 ? Math.min(strata.to + 1, first + strata.step) : first + strata.step]
}

/** Returns where the draft is on the axis of calls, null if there is none. */
export function draftOf(strata: Strata): number | null {
  const i = strata.columns.findIndex((column) => column.draft)
  return i < 0 ? null : spanOf(strata, i)[0]
}

/** Returns where the guest is on the axis of calls, null if there is none. */
export function guestOf(strata: Strata): number | null {
  const i = strata.columns.length - 1
  return strata.columns[i]?.guest === undefined ? null : spanOf(strata, i)[0]
}

/** Puts a column of another picture behind those of one; shared is how high it is as the call that is shown. */
export function withGuest(strata: Strata, other: Strata, name: string, shared: number, parts: boolean): Strata {
  const column = other.columns.at(-1)
  if (!column) return strata
  const actors = [...strata.actors]
  const actor = (i: number) => {
    const found = actors.indexOf(other.actors[i] ?? '')
    return found >= 0 ? found : actors.push(other.actors[i] ?? '') - 1
  }
  const bands = stackOf(other, other.columns.length - 1).map((band): Band =>
    [band[0], band[1], band[2], band[3], band[4], actor(band[5]), band[6]])
  const guest: Column = { cycle: column.cycle, size: column.size, shared, cut: parts ? shared : null, cached: null,
    guest: name, keep: 0, bands }
  return { ...strata, actors, max: Math.max(strata.max, column.size), columns: [...strata.columns, guest] }
}

/** Where calls and heights are on the canvas, in its pixels. */
export interface Frame {
  /** The first call that is shown and how many there are; both may be fractions while zooming. */
  first: number
  count: number
  /** Height that the plot has in the unit. */
  max: number
  /** Rectangle of the plot. */
  x: number
  y: number
  width: number
  height: number
  /** Width of a call. */
  wide: number
  /** Where the calls end on the axis, and the width that a step on it has behind them. */
  end: number
  behind: number
}

/** A column is never wider than this many pixels, so that few calls do not look like a flag, and what
 * stands behind the calls is never narrower than this. */
const widest = 150
const narrowest = 30

/** Places a range of calls into a rectangle, with so many columns behind them. */
export function frameOf(range: [number, number], max: number, rect: { x: number; y: number; width: number; height: number },
  step = 1, behind = 0): Frame {
  const calls = Math.max(1, range[1] - range[0] + 1)
  const column = Math.min(widest, Math.max(narrowest, rect.width / (calls / step + behind)))
  const wide = Math.min(widest, (rect.width - behind * column) / calls)
  return { first: range[0], count: calls, max: Math.max(1, max), ...rect, wide, end: range[1] + 1,
    behind: column / step }
}

/** Returns where a call begins. */
export function xOf(frame: Frame, cycle: number): number {
  const { first, end, wide, behind } = frame
  return frame.x + (Math.min(cycle, end) - first) * wide + Math.max(0, cycle - end) * behind
}

/** Returns where a height is; 0 is at the bottom. */
export function yOf(frame: Frame, height: number): number {
  return frame.y + frame.height - (height / frame.max) * frame.height
}

/** Returns the call at a place, which may be one that is not there. */
export function cycleAt(frame: Frame, x: number): number {
  const calls = frame.first + (x - frame.x) / frame.wide
  return Math.floor(calls < frame.end ? calls : frame.end + (x - xOf(frame, frame.end)) / frame.behind)
}

/** Returns the height at a place. */
export function heightAt(frame: Frame, y: number): number {
  return ((frame.y + frame.height - y) / frame.height) * frame.max
}

/** Returns the greatest height of the columns that show a range of calls. */
export function highest(strata: Strata, range: [number, number]): number {
  let max = 0
  for (const column of strata.columns) {
    const behind = column.guest !== undefined || column.draft
    if (behind || (column.cycle >= range[0] && column.cycle - strata.step < range[1])) max = Math.max(max, column.size)
  }
  return max
}

/** Returns round numbers between 0 and a height for an axis, about as many as asked for. */
export function ticks(max: number, about: number): number[] {
  const step = roundStep(max / Math.max(1, about))
  const list: number[] = []
  for (let n = 0; n <= max; n += step) list.push(n)
  return list
}

/** Returns calls to name below the picture: round cycles that are far enough apart. */
export function cycleTicks(frame: Frame, apart: number): number[] {
  const step = Math.max(1, roundStep(apart / frame.wide))
  const list: number[] = []
  const end = frame.first + frame.count
  for (let n = Math.ceil(frame.first / step) * step; n < end; n += step) list.push(n)
  return list
}

/** Returns the next number that is 1, 2 or 5 times a power of ten. */
function roundStep(least: number): number {
  if (least <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(least))
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least) ?? 10 * power
}

/** Returns a range of calls made narrower or wider around a call, within the calls that there
 * are; null if that is all of them. */
export function zoomed(range: [number, number], all: [number, number], around: number, factor: number):
  [number, number] | null {
  const count = range[1] - range[0] + 1
  const total = all[1] - all[0] + 1
  let wanted = Math.round(count * factor)
  if (wanted === count) wanted += factor < 1 ? -1 : 1
  wanted = Math.min(total, Math.max(Math.min(5, total), wanted))
  if (wanted >= total) return null
  const left = (around - range[0]) / count
  const from = Math.min(Math.max(all[0], Math.round(around - left * wanted)), all[1] - wanted + 1)
  return [from, from + wanted - 1]
}

/** Returns the range moved so far that a call is in it; the same range if it is already. */
export function panned(range: [number, number], cycle: number): [number, number] {
  if (cycle < range[0]) return [cycle, cycle + range[1] - range[0]]
  if (cycle > range[1]) return [cycle - (range[1] - range[0]), cycle]
  return range
}
