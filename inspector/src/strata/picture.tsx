import { computed, effect, useComputed, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { type At, isElsewhere } from '../address'
import { type Call, type Strata, unreachable } from '../api'
import { guest, reloadStrata } from '../data'
import { plural, size } from '../format'
import { useKeys } from '../keys'
import { Problem, Waiting } from '../parts'
import { address, at, call, callOf, calls, colouring, context, firstCycle, follow, go, hasCalls, hasDraft, lastCycle, matches, missing,
  newCalls, occurrences, planned, scrub, strata, unit, vs, zoom } from '../state'
import { budget, budgetText, limit, plan, planText, setLimit } from './budget'
import { drawOverlay, drawScene, gutter, type Scene } from './draw'
import { draftOf, type Frame, frameOf, guestOf, highest, layOut, withGuest } from './layout'
import { Legend } from './legend'
import { attach, hover, letGo, step, zoomBy } from './pointer'
import { CallTable } from './table'
import { onTheme, readTheme, type Theme } from './theme'
import { Tip } from './tip'

// The same elements each time: what scrubs redraws neither.
const legend = <Legend />
const table = <CallTable />

/** The picture of all calls: a column a call, a band a block. */
export function Picture() {
  const canvas = useRef<HTMLCanvasElement>(null)
  const box = useSignal({ width: 0, height: 0 })
  const theme = useSignal<Theme | null>(null)
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect
      box.value = { width, height }
    })
    observer.observe(canvas.current!.parentElement!)
    const ignore = onTheme(() => void (theme.value = readTheme()))
    return () => {
      observer.disconnect()
      ignore()
    }
  }, [])
  const layout = useComputed(() => {
    const data = strata.value.value
    const other = zoom.value === null || zoom.value[1] === lastCycle.value ? guest.value : null
    return data ? layOut(other ? withGuest(data, other.strata, other.name, other.shared, other.parts) : data) : null
  })
  const frame = useComputed<Frame | null>(() => {
    const { width, height } = box.value
    if (!layout.value || width === 0) return null
    const data = layout.value.strata
    const range: [number, number] = zoom.value ?? [data.from, Math.max(data.to, data.from)]
    const rect = { x: gutter.left, y: gutter.top, width: width - gutter.left - gutter.right,
      height: height - gutter.top - gutter.bottom }
    const behind = range[1] === data.to ? data.columns.length - Math.ceil((data.to - data.from + 1) / data.step) : 0
    return frameOf(range, highest(data, range) * 1.04, rect, data.step, behind)
  })
  const scene = useComputed<Scene | null>(() =>
    layout.value && frame.value && theme.value && {
      layout: layout.value, frame: frame.value, theme: theme.value, colouring: colouring.value,
      matches: matches.value, planned: planned.value, strip: strip.value, scale: devicePixelRatio || 1,
    })
  /** Where the line of the budget is; the picture is never higher. */
  const line = useComputed(() => Math.min(budget() ?? Infinity, frame.value?.max ?? 0))

  useEffect(() => attach(canvas.current!, () =>
    layout.peek() && frame.peek() && { layout: layout.peek()!, frame: frame.peek()! }, () => line.peek()), [])
  useEffect(() => {
    const kept = new OffscreenCanvas(1, 1)
    let keptScene: Scene | null = null
    let asked = 0
    const paint = () => {
      asked = 0
      const now = scene.peek()
      const on = canvas.current
      if (!now || !on) return
      const { width, height } = box.peek()
      const [wide, high] = [Math.round(width * now.scale), Math.round(height * now.scale)]
      const c = on.getContext('2d')!
      if (on.width !== wide || on.height !== high) [on.width, on.height] = [wide, high]
      if (keptScene !== now) {
        ;[kept.width, kept.height] = [wide, high]
        const k = kept.getContext('2d')!
        k.scale(now.scale, now.scale)
        drawScene(k, now)
        keptScene = now
      }
      c.setTransform(1, 0, 0, 1, 0, 0)
      c.clearRect(0, 0, wide, high)
      c.drawImage(kept, 0, 0)
      c.setTransform(now.scale, 0, 0, now.scale, 0, 0)
      const [a, v, l] = [at.peek(), vs.peek(), limit.peek()]
      drawOverlay(c, now, {
        at: placeOnAxis(now.layout.strata, a), vs: isElsewhere(v) ? guestOf(now.layout.strata) : placeOnAxis(now.layout.strata, v),
        node: address.peek().node,
        hover: hover.peek()?.box ?? null,
        budget: {
          height: line.peek(), held: l !== null,
          text: l === null ? budgetText() : planText(l, plan.peek(), unit.peek()),
        },
      })
    }
    const stop = effect(() => {
      void [scene.value, at.value, vs.value, address.value, hover.value, line.value, limit.value, plan.value, box.value]
      asked ||= requestAnimationFrame(paint)
    })
    return () => {
      stop()
      cancelAnimationFrame(asked)
    }
  }, [])

  useKeys('Calls', [
    { keys: ['ArrowLeft', 'ArrowRight'], does: 'previous and next call',
      run: (e) => step(e.key === 'ArrowLeft' ? -1 : 1) },
    { keys: ['shift+ArrowLeft', 'shift+ArrowRight'], does: 'previous and next cut of the prefix',
      run: (e) => toCut(e.key === 'ArrowLeft' ? -1 : 1) },
    { keys: ['Home', 'End'], does: 'first call, and the latest, which is then followed',
      run: (e) => (e.key === 'Home' ? scrub(firstCycle.peek()) : follow()) },
    { keys: ['w', 's'], does: 'zoom in and out', run: (e) => zoomBy(e.key === 'w' ? 1 / 1.5 : 1.5) },
    { keys: ['m'], does: 'mark this call to compare others with; again: compare with the one before', run: mark },
    { keys: ['-', '+'], does: 'lower and raise the limit to try', run: (e) => moveLimit(e.key === '-' ? -1 : 1) },
    { keys: ['Escape'], does: 'take the limit away', run: letGo },
  ])
  const { state, failure } = strata.value
  const shown = call.value
  return (
    <section class="strata" aria-label="Calls">
      {legend}
      <div class="strata-plot">
        <canvas ref={canvas} class="strata-canvas" tabIndex={0} role="slider" aria-label="Call that is shown"
          aria-valuemin={firstCycle.value} aria-valuemax={Math.max(firstCycle.value, lastCycle.value)}
          aria-valuenow={typeof at.value === 'number' ? at.value : Math.max(firstCycle.value, lastCycle.value)}
          aria-valuetext={valueText(shown)} aria-describedby="call-sentence" />
        {!layout.value && state === 'loading' && hasCalls.value && <Waiting what="the picture" />}
        {layout.value && state === 'loading' && <p class="strata-busy" role="status">Loading…</p>}
        {state === 'failed' && (!layout.value || failure!.code !== unreachable) && (
          <div class="strata-failed"><Problem failure={failure!} again={reloadStrata} /></div>
        )}
        {layout.value && frame.value && <Tip width={box.value.width} />}
        {newCalls.value > 0 && (
          <button type="button" class="strata-new" onClick={follow}>
            {plural(newCalls.value, 'new call')} ▸
          </button>
        )}
      </div>
      <Planned />
      {table}
    </section>
  )
}

/** Says what the slider shows to those who do not see the canvas. */
function valueText(shown: Call | undefined): string {
  if (!shown) return at.value === 'working' ? 'The working state' : 'No call ' + at.value
  return `Call ${shown.cycle} of ${lastCycle.value}, ${size(shown.size, unit.value)}` +
    (shown.cut ? ', its prefix was cut' : '') + (hasDraft.value && shown.cycle === lastCycle.value ? '; the working state follows' : '')
}

/** Returns where a state is on the axis of calls, null if it is not in the picture. */
function placeOnAxis(data: Strata, state: At | null): number | null {
  return state === 'working' ? draftOf(data) : missing.peek() ? null : state
}

/** The calls that have the words of the box, as runs that do not touch. */
const strip = computed(() => {
  const runs: [number, number][] = []
  for (const { first, last } of (occurrences.value?.items ?? []).toSorted((a, b) => a.first - b.first)) {
    const before = runs.at(-1)
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else runs.push([first, last])
  }
  return runs
})

/** Says what stands at the limit to those who do not see the canvas. */
function Planned() {
  return (
    <p class="unseen" role="status">{limit.value !== null && planText(limit.value, plan.value, unit.value)}</p>
  )
}

/** Goes to the next cut in a direction. */
function toCut(by: 1 | -1): void {
  const from = at.peek()
  const list = calls.peek().value
  if (from === 'working' || !list || !context.peek().value) return
  for (let cycle = from + by; ; cycle += by) {
    const found = callOf(cycle)
    if (!found) return
    if (found.cut) return scrub(cycle)
  }
}

/** Moves the limit by a twentieth of the height of the picture. */
function moveLimit(by: 1 | -1): void {
  const data = strata.peek().value
  if (!data) return
  const next = Math.min(budget() ?? Infinity, data.max) + (by * data.max) / 20
  setLimit(next >= data.max ? null : Math.max(1, Math.round(next)))
}

/** Marks the call that is shown to compare others with it, or takes the mark away. */
function mark(): void {
  go({ vs: address.peek().vs === null ? at.peek() : null })
}
