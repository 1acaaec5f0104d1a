// What a pointer does on the picture: hover, scrub, click, zoom, and drag the budget.
import { signal } from '@preact/signals'
import type { Column } from '../api'
import { at, firstCycle, following, follow, go, hasCalls, hasDraft, lastCycle, scrub, select, showDraft, zoom } from '../state'
import { mark, trying } from '../whatif'
import { limit, setLimit } from './budget'
import { bandAt, type Box, columnOf, cycleAt, type Frame, heightAt, type Layout, yOf, zoomed } from './layout'

/** The band below the pointer, and where the pointer is on the page of the canvas. */
export interface Hover {
  box: Box
  cycle: number
  column: Column
  x: number
  y: number
}

export const hover = signal<Hover | null>(null)

/** What the canvas shows now, for those who ask where something is. */
export interface View {
  layout: Layout
  frame: Frame
}

/** How near to the budget a pointer takes hold of it, in pixels. */
const near = 6
/** How far a pointer may move and still click. */
const still = 4

/** Lets a pointer act on the canvas. view returns null while there is no picture. The function
 * that it returns ends that. */
export function attach(canvas: HTMLCanvasElement, view: () => View | null, budgetHeight: () => number): () => void {
  let held: 'call' | 'budget' | null = null
  let from = { x: 0, y: 0 }
  let moved = false
  const control = new AbortController()
  const on = <K extends keyof HTMLElementEventMap>(kind: K, run: (e: HTMLElementEventMap[K]) => void) =>
    canvas.addEventListener(kind, run, { signal: control.signal, passive: kind !== 'wheel' })
  const onBudget = (v: View, y: number) => Math.abs(yOf(v.frame, budgetHeight()) - y) < near

  on('pointerdown', (e) => {
    const v = view()
    if (!v || e.button !== 0) return
    canvas.setPointerCapture(e.pointerId)
    from = { x: e.offsetX, y: e.offsetY }
    moved = false
    held = onBudget(v, e.offsetY) ? 'budget' : 'call'
  })
  on('pointermove', (e) => {
    const v = view()
    if (!v) return
    moved ||= Math.abs(e.offsetX - from.x) > still || Math.abs(e.offsetY - from.y) > still
    if (held === 'budget') {
      const height = Math.round(heightAt(v.frame, e.offsetY))
      setLimit(height >= v.frame.max ? null : Math.max(1, height))
    } else if (held === 'call') {
      if (moved) toCycle(v, cycleAt(v.frame, e.offsetX))
    } else {
      canvas.style.cursor = onBudget(v, e.offsetY) ? 'ns-resize' : ''
      hover.value = find(v, e.offsetX, e.offsetY)
    }
  })
  on('pointerup', (e) => {
    const v = view()
    const was = held
    held = null
    if (!v || was !== 'call' || moved) return
    const found = find(v, e.offsetX, e.offsetY)
    const cycle = cycleAt(v.frame, e.offsetX)
    if (v.layout.strata.columns[columnOf(v.layout.strata, cycle)]?.guest !== undefined) return
    if (e.shiftKey && cycle <= v.layout.strata.to) return go({ at: at.peek(), vs: cycle, view: 'changes' })
    if (found && trying.peek()) return mark(found.box.band[3])
    if (found) select(found.box.band[3], cycle > v.layout.strata.to ? 'working' : cycle)
    else toCycle(v, cycle)
  })
  on('pointercancel', () => void (held = null))
  on('pointerleave', () => void (hover.value = null))
  on('wheel', (e) => {
    const v = view()
    if (!v || e.ctrlKey) return
    e.preventDefault()
    zoomBy(e.deltaY < 0 ? 1 / 1.25 : 1.25, v.frame.first + (e.offsetX - v.frame.x) / v.frame.wide)
  })
  return () => control.abort()
}

/** Shows what is at a place of the axis of calls. */
function toCycle(v: View, cycle: number): void {
  if (cycle > v.layout.strata.to && hasDraft.peek()) showDraft()
  else scrub(cycle)
}

/** Shows fewer or more calls around one, by default around that which is shown. */
export function zoomBy(factor: number, around?: number): void {
  const all: [number, number] = [firstCycle.peek(), lastCycle.peek()]
  const shown = at.peek()
  zoom.value = zoomed(zoom.peek() ?? all, all, around ?? (shown === 'working' ? all[1] : shown), factor)
}

/** Shows the neighbour of the call that is shown. */
export function step(by: number): void {
  const shown = at.peek()
  if (shown === 'working') return by < 0 && hasCalls.peek() ? scrub(lastCycle.peek()) : undefined
  if (shown === lastCycle.peek() && by > 0 && hasDraft.peek()) return showDraft()
  if (shown + by > lastCycle.peek() && !following.peek()) follow()
  else scrub(shown + by)
}

/** Takes the limit away, or the hover. Reports whether there was one. */
export function letGo(): boolean {
  const had = limit.peek() !== null
  setLimit(null)
  hover.value = null
  return had
}

function find(v: View, x: number, y: number): Hover | null {
  const { layout, frame } = v
  const cycle = cycleAt(frame, x)
  const column = columnOf(layout.strata, cycle)
  const height = heightAt(frame, y)
  const id = bandAt(layout, column, height)?.[3]
  if (id === undefined) return null
  const box = layout.boxes.find((b) =>
    b.left <= column && column < b.right && b.band[3] === id && b.bottom <= height && height < b.top)
  return box ? { box, cycle, column: layout.strata.columns[column]!, x, y } : null
}
