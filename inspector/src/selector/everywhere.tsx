// What a text finds beyond the call that is shown: in all calls of the context, and in all contexts.
import { useEffect, useState } from 'preact/hooks'
import type { At } from '../address'
import { api, type Failure, type Occurrence, type Occurrences } from '../api'
import { count, plural } from '../format'
import { useKeys } from '../keys'
import { failureOf } from '../load'
import { Link, Problem, Swatch } from '../parts'
import { address, at, occurrences, select } from '../state'
import { line, safe } from '../text'

/** Registers the keys that go from call to call with the words of the box. */
export function useCallKeys(): void {
  useKeys('Search', [
    { keys: ['N'], does: 'next call that brought the words of the box', run: () => toCall(1) },
    { keys: ['P'], does: 'the one before', run: () => toCall(-1) },
  ])
}

/** Goes to the next call in which one of the blocks came, in a direction. */
function toCall(by: 1 | -1): boolean {
  const [items, from] = [occurrences.peek()?.items ?? [], at.peek()]
  if (items.length === 0) return false
  const here = from === 'working' ? Infinity : from
  const next = items.filter((o) => (o.first - here) * by > 0).sort((a, b) => (a.first - b.first) * by)[0]
  if (next) select(next.id, firstOf(next), 'replace')
  return true
}

/** Returns the first state that has a text: what no call has sent yet is in the working state. */
function firstOf(o: Occurrence): At {
  return o.state ? 'working' : o.first
}

/** The calls that have a text. */
function Span({ o }: { o: Occurrence }) {
  return <code>{o.state ? 'working' : <>@c{o.first}{o.last > o.first && '–' + o.last}</>}</code>
}

/** The blocks of all calls that have the words, and on demand those of other contexts. */
export function InAllCalls({ q, here, close }: { q: string; here: number; close: () => void }) {
  const [far, setFar] = useState(false)
  useEffect(() => setFar(false), [q])
  const found = occurrences.value
  if (!found) return null
  return (
    <section class="box-panel" aria-label="Found">
      <header>
        <p role="status">
          <b>{count(here)}</b> in this call, <b>{plural(found.total, 'block')}</b> in all calls
        </p>
        <button type="button" aria-label="The call before that brought it (P)" onClick={() => toCall(-1)}>‹</button>
        <button type="button" aria-label="The next call that brought it (N)" onClick={() => toCall(1)}>›</button>
        <button type="button" aria-pressed={far} onClick={() => setFar(!far)}>all contexts</button>
        <button type="button" class="plain" aria-label="Close" onClick={close}>×</button>
      </header>
      {far ? <Everywhere q={q} /> : <Hits found={found} />}
    </section>
  )
}

/** The blocks that were found; each leads to a call that has it, the one that is shown if it does. */
function Hits({ found }: { found: Occurrences }) {
  const shown = at.value
  return (
    <ul class="hits" tabIndex={0}>
      {found.items.slice(0, 200).map((o) => {
        const there = typeof shown === 'number' && o.first <= shown && shown <= o.last
        return (
          <li key={o.id + o.first}>
            <button type="button" aria-current={address.value.node === o.id ? 'true' : undefined}
              onClick={() => select(o.id, there ? shown : firstOf(o))}>
              <Swatch kind={o.shown_kind ?? 'other'} />
              <Span o={o} />
              <span class="hit-line">{line(o.line, 160)}</span>
              {o.count > 1 && <span class="faint">{plural(o.count, 'line')}</span>}
            </button>
          </li>
        )
      })}
    </ul>
  )
}

/** The contexts that have a text, as the server finds them. */
export function Everywhere({ q }: { q: string }) {
  const [list, setList] = useState<Occurrences[]>([])
  const [busy, setBusy] = useState(true)
  const [failure, setFailure] = useState<Failure | null>(null)
  useEffect(() => {
    const control = new AbortController()
    const search = async (): Promise<void> => {
      const all: Occurrences[] = []
      for (let after: string | undefined = ''; after !== undefined;) {
        const page = await api.grep(q, { after }, control.signal)
        all.push(...page.items)
        setList([...all])
        after = page.next
      }
    }
    setList([])
    setFailure(null)
    setBusy(true)
    search().catch((problem: unknown) => !control.signal.aborted && setFailure(failureOf(problem)))
      .finally(() => !control.signal.aborted && setBusy(false))
    return () => control.abort()
  }, [q])
  if (failure) return <Problem failure={failure} />
  return (
    <>
      <p class="faint" role="status">{busy ? 'Searching …' : list.length === 0 ? 'No call of any context has this text.' : plural(list.length, 'context')}</p>
      <ul class="hits" tabIndex={0}>
        {list.flatMap((context) => context.items.map((o, i) => (
          <li key={context.context + o.id + o.first}>
            <Link to={{ name: context.context, at: o.state ? 'working' : o.last, node: o.id, q }}>
              <b>{i === 0 ? <bdi>{safe(context.context)}</bdi> : ''}</b>
              <Swatch kind={o.shown_kind ?? 'other'} />
              <Span o={o} />
              <span class="hit-line">{line(o.line, 160)}</span>
              {i === context.items.length - 1 && context.total > i + 1 && <span class="faint">and {count(context.total - i - 1)} more</span>}
            </Link>
          </li>
        )))}
      </ul>
    </>
  )
}
