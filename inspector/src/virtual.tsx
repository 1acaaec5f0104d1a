import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Heights } from './panes/heights'

// Browsers place nothing further down than about 33 million pixels. A longer list scrolls in steps.
const tallest = 12_000_000
const beyond = 300 // pixels of rows that are drawn outside the visible part

/** What a list shows and what it does with the keyboard. Rows count from 0. */
export interface ListProps {
  id: string
  label: string
  role: 'listbox' | 'tree'
  count: number
  /** Another value makes all heights anew: other rows than before. */
  of: unknown
  estimate: (row: number) => number
  row: (row: number) => ComponentChildren
  rowClass?: (row: number) => string
  aria?: (row: number) => Record<`aria-${string}`, string | number | boolean | undefined>
  /** The row that the keyboard is on, -1 for none. */
  current: number
  /** A click is a step that the back button takes back; keys replace the step. */
  onCurrent: (row: number, how: 'push' | 'replace') => void
  onOpen?: (row: number) => void
  /** Keys of the pane, asked before those of the list; true means that it was one. */
  onKey?: (event: KeyboardEvent) => boolean
  /** The rows that are drawn, so that their data can be fetched. */
  onRange?: (first: number, last: number) => void
}

// The row to scroll to until it stands still; one that was far away comes to the upper third.
interface Reveal {
  row: number
  far: boolean
}

interface View {
  top: number
  height: number
}

/**
 * A list that draws only the rows in sight. It takes the focus as a whole; the row that the keyboard
 * is on is its active descendant.
 */
export function List(p: ListProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState<View>({ top: 0, height: 600 })
  const [, redraw] = useState(0)
  const reveal = useRef<Reveal>({ row: -1, far: false })
  const heights = useMemo(() => new Heights(p.count, p.estimate), [p.of, p.count])
  const total = heights.total
  const real = Math.min(total, tallest)
  const ratio = total > real ? (total - view.height) / (real - view.height) : 1
  const top = view.top * ratio
  const first = heights.at(Math.max(0, top - beyond))
  const last = Math.min(p.count - 1, heights.at(top + view.height + beyond))

  useLayoutEffect(() => watchSize(box.current, setView), [])
  useLayoutEffect(() => {
    reveal.current = { row: p.current, far: false }
  }, [p.current, p.of])
  useEffect(() => {
    if (p.count > 0) p.onRange?.(first, last)
  }, [first, last, p.of, p.count])
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const { grown, above } = measure(element, heights, heights.at(top))
    if (above !== 0 && ratio === 1 && reveal.current.row < 0) element.scrollTop += above
    const moved = showRow(element, heights, reveal.current, ratio)
    if (!moved && !grown) reveal.current.row = -1
    if (grown) redraw((n) => n + 1)
  })

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    if (p.onKey?.(event) || listKey(event, p, heights, view.height)) {
      event.preventDefault()
      event.stopPropagation()
    }
  }
  const rows: JSX.Element[] = []
  for (let i = first; i <= last; i++) {
    const y = ratio === 1 ? heights.before(i) : view.top + heights.before(i) - top
    rows.push(
      <div
        key={i}
        id={`${p.id}-${i}`}
        data-row={i}
        role={p.role === 'tree' ? 'treeitem' : 'option'}
        class={`row ${p.rowClass?.(i) ?? ''}`}
        aria-selected={i === p.current}
        aria-setsize={p.count}
        aria-posinset={i + 1}
        {...p.aria?.(i)}
        style={{ transform: `translateY(${y}px)` }}
        onClick={() => p.onCurrent(i, 'push')}
        onDblClick={() => p.onOpen?.(i)}>
        {p.row(i)}
      </div>,
    )
  }
  const active = p.current >= first && p.current <= last ? `${p.id}-${p.current}` : undefined
  return (
    <div
      ref={box}
      class="list"
      role={p.role}
      aria-label={p.label}
      tabIndex={0}
      aria-activedescendant={active}
      onKeyDown={onKeyDown}
      onScroll={(event) => {
        const at = event.currentTarget.scrollTop
        setView((v) => (v.top === at ? v : { ...v, top: at }))
      }}>
      <div class="list-space" role="presentation" style={{ height: `${real}px` }}>
        {rows}
      </div>
    </div>
  )
}

function watchSize(element: HTMLDivElement | null, set: (change: (v: View) => View) => void): (() => void) | undefined {
  if (!element) return undefined
  const observer = new ResizeObserver(() => {
    const height = element.clientHeight
    set((v) => ({ top: element.scrollTop, height: height || v.height }))
  })
  observer.observe(element)
  return () => observer.disconnect()
}

// measure takes the heights of the rows that are drawn. It returns whether one changed, and by how
// much those above the first visible row grew: the list scrolls by as much, so that nothing jumps.
function measure(element: HTMLElement, heights: Heights, visible: number): { grown: boolean; above: number } {
  let [grown, above] = [false, 0]
  for (const row of element.querySelectorAll<HTMLElement>('[data-row]')) {
    const i = Number(row.dataset['row'])
    const growth = row.offsetHeight > 0 ? heights.set(i, row.offsetHeight) : 0
    if (growth !== 0) grown = true
    if (i < visible) above += growth
  }
  return { grown, above }
}

// showRow scrolls to a row that is not in sight, and reports whether it had to.
function showRow(element: HTMLElement, heights: Heights, reveal: Reveal, ratio: number): boolean {
  if (reveal.row < 0 || reveal.row >= heights.count) return false
  const [from, height, top] = [heights.before(reveal.row), element.clientHeight, element.scrollTop * ratio]
  const to = from + heights.of(reveal.row)
  if (from < top - height || to > top + 2 * height) reveal.far = true
  if (!reveal.far && from >= top && to <= top + height) return false
  const target = reveal.far ? Math.max(0, from - height / 3) : from < top ? from : Math.min(from, to - height)
  const before = element.scrollTop
  element.scrollTop = target / ratio
  return Math.abs(element.scrollTop - before) >= 1
}

// listKey does what a key means in every list.
function listKey(event: KeyboardEvent, p: ListProps, heights: Heights, page: number): boolean {
  const to = (row: number): boolean => {
    if (p.count === 0 || event.shiftKey) return false
    p.onCurrent(Math.max(0, Math.min(p.count - 1, row)), 'replace')
    return true
  }
  const here = Math.max(0, p.current)
  switch (event.key) {
    case 'ArrowDown':
      return to(p.current + 1)
    case 'ArrowUp':
      return to(p.current - 1)
    case 'PageDown':
      return to(Math.max(here + 1, heights.at(heights.before(here) + page) - 1))
    case 'PageUp':
      return to(Math.min(here - 1, heights.at(Math.max(0, heights.before(here) - page)) + 1))
    case 'Home':
      return to(0)
    case 'End':
      return to(p.count - 1)
    case 'Enter':
      if (p.current < 0 || !p.onOpen) return false
      p.onOpen(p.current)
      return true
  }
  return false
}
