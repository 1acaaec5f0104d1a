import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { api } from '../api'
import { plural } from '../format'
import { useKeys } from '../keys'
import { useLoaded } from '../load'
import { address, atName, firstCycle, go, lastCycle, scrub, select } from '../state'
import { safe } from '../text'
import { complete, namesOf, type Offer } from './complete'
import { callIn, Panel, Says } from './answers'
import { useCallKeys } from './everywhere'
import { useSearch, wrongAt } from './search'
import { isSelector, mirrored } from './tokens'

const pause = 160 // milliseconds without a key before the server is asked

/** What the box shows below the sentence, where it covers nothing. */
export const panel = signal<JSX.Element | null>(null)

/** The box that searches: words find text, and ^ . # [ @ begin a selector. */
export function SelectorBox(): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(address.value.q)
  const [caret, setCaret] = useState(-1)
  const [open, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const [plan, setPlan] = useState(false)
  const [shut, setShut] = useState(false)
  const [entered, setEntered] = useState(false) // the first match shall be selected once it is known
  const box = useRef<HTMLElement>(null)
  const search = useSearch()
  const offers = useOffers(text, caret, open)
  const settled = text === search.q
  const [closed, setClosed] = useState(false) // of the panel below the sentence
  useCallKeys()
  useLayoutEffect(() => {
    panel.value = closed ? null : (
      <Panel search={search} settled={settled} plan={plan} closePlan={() => setPlan(false)} close={() => setClosed(true)} />
    )
  })
  useEffect(() => () => void (panel.value = null), [])
  const wrong = settled ? wrongAt(text, atName.value, search.failure) : null

  useEffect(() => {
    if (address.value.q !== text && document.activeElement !== input.current) setText(address.value.q)
  }, [address.value.q])
  useEffect(() => {
    const timer = setTimeout(() => go({ q: text }, 'replace'), pause)
    return () => clearTimeout(timer)
  }, [text])
  useEffect(() => {
    if (!entered || !settled || !search.found) return // it is that of this text, or not there
    setEntered(false)
    const first = search.found.ids[0]
    if (first !== undefined && search.found.kind !== 'range') select(first)
  }, [entered, settled, search.found])
  useKeys('Selector', [
    {
      keys: ['/'],
      does: 'search text, or write a selector',
      run: () => {
        input.current?.focus()
        input.current?.select()
      },
    },
  ])

  useEffect(() => {
    const outside = (event: Event): void => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) setShut(true)
    }
    addEventListener('pointerdown', outside)
    return () => removeEventListener('pointerdown', outside)
  }, [])

  const write = (next: string, at: number): void => {
    setText(next)
    setCaret(at)
    setActive(-1)
    setEntered(false)
    setOpen(true)
    setShut(false)
    setClosed(false)
    const field = input.current
    if (field && field.value !== next) {
      field.value = next
      field.setSelectionRange(at, at)
    }
  }
  const accept = (offer: Offer): void => {
    const next = text.slice(0, offer.from) + offer.insert + text.slice(offer.to)
    write(next, offer.from + offer.insert.length)
    input.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return
    if (boxKey(event.key)) event.preventDefault()
    event.stopPropagation()
  }
  const boxKey = (key: string): boolean => {
    const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && offers.length > 0) {
      setActive((active + step + offers.length + (active < 0 && step < 0 ? 1 : 0)) % offers.length)
      return true
    }
    const offer = offers[active]
    if ((key === 'Enter' || key === 'Tab') && offer) {
      accept(offer)
      return true
    }
    const cycle = callIn(text)
    if (key === 'Enter' && cycle !== null) {
      if (cycle < firstCycle.peek() || cycle > lastCycle.peek()) return true
      write('', 0)
      scrub(cycle)
      input.current?.blur()
      return true
    }
    if (key === 'Enter') {
      go({ q: text }, 'push')
      setOpen(false)
      setEntered(true)
      input.current?.blur() // also where the list is not there yet
      document.querySelector<HTMLElement>('.pane .list')?.focus()
      return true
    }
    if (key !== 'Escape') return false
    if (open && offers.length > 0) setOpen(false)
    else if (!closed && search.found?.range) setClosed(true)
    else if (text !== '') write('', 0)
    else input.current?.blur()
    return true
  }
  const expanded = offers.length > 0
  return (
    <search ref={box} class="selector-box">
      <div class="selector-line" data-wrong={wrong !== null}>
        <Mirror text={text} wrong={wrong} input={input} />
        <input
          ref={input}
          type="text"
          role="combobox"
          class="selector-input"
          value={text}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          aria-label="Search text, or write a selector"
          placeholder="Search text, or a selector: ^ . # [ @"
          aria-expanded={expanded}
          aria-autocomplete="list"
          aria-controls={expanded ? 'offers' : undefined}
          aria-invalid={wrong !== null}
          aria-describedby="selector-says"
          aria-activedescendant={offers[active] ? `offer-${active}` : undefined}
          onInput={(e) => write(e.currentTarget.value, e.currentTarget.selectionStart ?? 0)}
          onSelect={(e) => setCaret(e.currentTarget.selectionStart ?? -1)}
          onFocus={(e) => {
            setCaret(e.currentTarget.selectionStart ?? -1)
            setShut(false)
          }}
          onBlur={() => setOpen(false)}
          onKeyDown={onKeyDown}
        />
        {text !== '' && isSelector(text) && (
          <button type="button" class="selector-plan" aria-pressed={plan} onClick={() => setPlan(!plan)}>
            plan
          </button>
        )}
        <span class="selector-count" role="status">
          {says(search, settled)}
        </span>
      </div>
      <div class="selector-below">
        {expanded && <Offers list={offers} active={active} accept={accept} />}
        <div hidden={shut}>
          <Says
            search={search}
            settled={settled}
            completing={expanded && wrong !== null && wrong[0] >= text.length}
            text={text}
            take={(next) => {
              setText(next)
              go({ q: next })
            }}
          />
        </div>
      </div>
    </search>
  )
}

function says(search: ReturnType<typeof useSearch>, settled: boolean): string {
  if (!settled || search.busy) return search.q === '' && settled ? '' : '…'
  if (search.failure) return ''
  if (!search.found) return ''
  return search.found.kind === 'range'
    ? plural(search.found.range?.diffs.length ?? 0, 'step')
    : plural(search.found.ids.length, search.found.kind === 'text' ? 'block' : 'node')
}

// useOffers returns the completions at the caret. The words that occur are fetched when the box is
// used for the first time.
function useOffers(text: string, caret: number, open: boolean): Offer[] {
  const [name, state] = [address.value.name, atName.value]
  const wanted = open && isSelector(text)
  const names = useLoaded(wanted && name !== null ? JSON.stringify([name, state]) : null, async (stop) =>
    namesOf(await api.names(name ?? '', state, stop)),
  )
  if (!wanted || caret < 0 || !names.value) return []
  return complete(text, caret, names.value)
}

interface MirrorProps {
  text: string
  wrong: readonly [number, number] | null
  input: { current: HTMLInputElement | null }
}

/** The text of the box in colours, behind the input, whose own text is transparent. */
function Mirror({ text, wrong, input }: MirrorProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const follow = (): void => {
      if (box.current && input.current) box.current.scrollLeft = input.current.scrollLeft
    }
    follow()
    input.current?.addEventListener('scroll', follow)
    return () => input.current?.removeEventListener('scroll', follow)
  })
  const plain = !isSelector(text)
  return (
    <div ref={box} class="selector-mirror" aria-hidden="true">
      {plain
        ? safe(text)
        : mirrored(text, wrong).map((part, i) => (
            <span key={i} class={part.wrong ? 'wrong' : ''} data-token={part.kind}>
              {part.text}
            </span>
          ))}
      {wrong && wrong[0] >= text.length && <span class="wrong">{'\u00a0'}</span>}
    </div>
  )
}

interface OffersProps {
  list: Offer[]
  active: number
  accept: (offer: Offer) => void
}

function Offers({ list, active, accept }: OffersProps): JSX.Element {
  useEffect(() => document.getElementById(`offer-${active}`)?.scrollIntoView({ block: 'nearest' }), [active])
  return (
    <ul class="offers" id="offers" role="listbox" aria-label="Completions">
      {list.map((offer, i) => (
        <li
          key={offer.label}
          id={`offer-${i}`}
          role="option"
          aria-selected={i === active}
          onMouseDown={(event) => {
            event.preventDefault()
            accept(offer)
          }}>
          <span class="offer-label">{safe(offer.label)}</span>
          <span class="offer-what">{safe(offer.what)}</span>
        </li>
      ))}
    </ul>
  )
}
