// Finds words inside one block. What is found is marked without a change to the page: ranges of the
// text are given to the browser as a highlight.
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useKeys } from '../keys'
import { isSelector } from '../selector/tokens'
import { address } from '../state'

/** Whether long texts show all their pieces, because something is looked for in them. */
export const wholeTexts = signal(false)

const most = 5000 // places that are marked

/** A field that looks for words in an element; the words of the selector box are looked for at first. */
export function Find({ within, of }: { within: { current: HTMLElement | null }; of: string }): JSX.Element | null {
  const words = isSelector(address.value.q) ? '' : address.value.q.trim()
  const [typed, type] = useState<string | null>(null)
  const [places, setPlaces] = useState<Range[]>([])
  const [chosen, choose] = useState(-1)
  const field = useRef<HTMLInputElement>(null)
  const text = typed ?? words
  useKeys('Block', [{ keys: ['F'], does: 'find words in the block', run: () => type((t) => t ?? '') }])
  useLayoutEffect(() => {
    if (typed !== null) field.current?.focus()
  }, [typed === null])
  // Not in the effect below, which runs after the page is painted: a person's Enter may come before it.
  useLayoutEffect(() => choose(-1), [text, of])
  const about = useRef(of)
  useEffect(() => {
    if (about.current === of) return // a field that was opened at once stays open
    about.current = of
    type(null)
  }, [of])
  useEffect(() => {
    wholeTexts.value = text !== ''
    const look = (): void => {
      setPlaces(text === '' || !within.current ? [] : rangesOf(within.current, text))
    }
    look()
    const grown = new MutationObserver(look) // the pieces of a long text come later
    if (within.current) grown.observe(within.current, { childList: true, subtree: true })
    return () => grown.disconnect()
  }, [text, of])
  useEffect(() => {
    mark('found', places)
    mark('chosen', places[chosen] ? [places[chosen]] : [])
    if (places[chosen]) scrollTo(places[chosen])
    return () => (mark('found', []), mark('chosen', []))
  }, [places, chosen])
  const step = (by: number): void => {
    if (places.length > 0) choose((chosen + by + places.length + (chosen < 0 && by < 0 ? 1 : 0)) % places.length)
  }
  if (typed === null && places.length === 0)
    return (
      <button type="button" class="find-open" title="Find words in the block (F)" onClick={() => type('')}>
        find
      </button>
    )
  return (
    <search class="find">
      <input
        ref={field}
        type="search"
        aria-label="Find in the block"
        value={text}
        onInput={(e) => type(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === 'Enter') step(e.shiftKey ? -1 : 1)
          else if (e.key !== 'Escape') return
          else type(words === '' ? null : '')
          e.preventDefault()
          e.stopPropagation()
        }}
      />
      <span class="faint" role="status">
        {text === '' ? '' : countText(places.length, chosen)}
      </span>
      <button type="button" aria-label="The place before" disabled={places.length === 0} onClick={() => step(-1)}>
        ‹
      </button>
      <button type="button" aria-label="The next place" disabled={places.length === 0} onClick={() => step(1)}>
        ›
      </button>
    </search>
  )
}

// countText says how many places there are, and which of them is shown.
function countText(n: number, chosen: number): string {
  if (n === 0) return 'not here'
  return (chosen < 0 ? '' : chosen + 1 + ' of ') + n + (n === most ? ' or more' : '')
}

// rangesOf returns where an element has a text, in upper or lower case, also across its parts.
function rangesOf(element: HTMLElement, text: string): Range[] {
  const nodes: Text[] = []
  const starts: number[] = []
  let all = ''
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    starts.push(all.length)
    nodes.push(walker.currentNode as Text)
    all += (walker.currentNode as Text).data
  }
  const pattern = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi')
  const list: Range[] = []
  let i = 0
  for (const found of all.matchAll(pattern)) {
    const end = found.index + found[0].length
    while (i + 1 < nodes.length && (starts[i + 1] as number) <= found.index) i++
    let j = i
    while (j + 1 < nodes.length && (starts[j + 1] as number) < end) j++
    const range = new Range()
    range.setStart(nodes[i] as Text, found.index - (starts[i] as number))
    range.setEnd(nodes[j] as Text, end - (starts[j] as number))
    list.push(range)
    if (list.length === most) break
  }
  return list
}

// mark lets the browser draw ranges in the colours of the style sheet.
function mark(name: string, ranges: Range[]): void {
  if (!('highlights' in CSS)) return
  if (ranges.length === 0) CSS.highlights.delete(name)
  else CSS.highlights.set(name, new Highlight(...ranges))
}

function scrollTo(range: Range): void {
  range.startContainer.parentElement?.scrollIntoView({ block: 'nearest' })
  const [place, box] = [range.getBoundingClientRect(), scroller(range.startContainer.parentElement)]
  if (!box) return
  const frame = box.getBoundingClientRect()
  if (place.top < frame.top + 40 || place.bottom > frame.bottom) box.scrollTop += place.top - frame.top - frame.height / 3
}

// scroller returns the nearest element around another that scrolls.
function scroller(element: HTMLElement | null): HTMLElement | null {
  for (let at = element; at; at = at.parentElement) {
    if (at.scrollHeight > at.clientHeight + 1 && getComputedStyle(at).overflowY !== 'visible') return at
  }
  return null
}
