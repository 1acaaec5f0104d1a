import { useEffect } from 'preact/hooks'
import { api, Failure, type RangeDiff } from '../api'
import { plural } from '../format'
import { useLoaded } from '../load'
import { address, atName, context, light, occurrences } from '../state'
import { bytesOf, unitAt } from '../text'
import { type Suggestion, respelled, wider } from './nearest'
import { namesOf } from './complete'
import { addressed, isRange, isSelector } from './tokens'

const most = 10_000 // blocks that are lit at once

/** What the box found. */
export interface Found {
  q: string
  kind: 'text' | 'selector' | 'range'
  ids: string[]
  range?: RangeDiff
  /** What to try where nothing was found. */
  suggestions: Suggestion[]
}

/** Asks what the box says, again for each call that is shown, and lights up what was found. */
export function useSearch(): { found: Found | undefined; failure: Failure | undefined; busy: boolean; q: string } {
  const { name, q } = address.value
  const [state, revision] = [atName.value, context.value.value?.revision]
  // Before the context is there nobody knows which call is shown.
  const asks = name !== null && revision !== undefined && q.trim() !== ''
  const key = asks ? JSON.stringify([name, q, state, revision]) : null
  const loaded = useLoaded(key, (stop) => search(name ?? '', q, state, stop))
  const ready = key !== null && loaded.state === 'ready' && loaded.value?.q === q
  useEffect(() => light(ready && loaded.value ? new Set(loaded.value.ids) : null), [ready, loaded.value])
  const words = asks && !isSelector(q) ? q.trim() : ''
  const everywhere = useLoaded(words === '' ? null : JSON.stringify([name, words, revision]), async (stop) =>
    ({ words, found: (await api.grep(words, { context: name ?? '' }, stop)).items[0]! }))
  const all = everywhere.value?.words === words ? everywhere.value.found : null
  useEffect(() => void (occurrences.value = all), [all])
  return {
    found: ready ? loaded.value : undefined,
    failure: key !== null && loaded.state === 'failed' ? loaded.failure : undefined,
    busy: key !== null && loaded.state === 'loading',
    q,
  }
}

async function search(name: string, q: string, state: string, stop: AbortSignal): Promise<Found> {
  if (!isSelector(q)) {
    const ids = (await api.grep(q.trim(), { context: name, at: state }, stop)).items[0]!.items.map((item) => item.id)
    return { q, kind: 'text', ids, suggestions: [] }
  }
  await check(name, isRange(q) ? q : addressed(q, state), stop)
  if (isRange(q)) {
    const range = (await api.select(name, q, { max_snapshots: 50, max_changes: 500 }, stop)).range!
    const ids = range.diffs.flatMap((d) => [...d.added_ids, ...d.removed_ids, ...d.changed.map((c) => c.id)])
    return { q, kind: 'range', ids, range, suggestions: [] }
  }
  const { ids } = await api.select(name, addressed(q, state), { limit: most }, stop)
  return { q, kind: 'selector', ids, suggestions: ids.length > 0 ? [] : await instead(name, q, state, stop) }
}

// check refuses a text that is no selector. Asking for its nodes would refuse it too, but browsers
// log that answer as an error, and most texts are unfinished.
async function check(name: string, q: string, stop: AbortSignal): Promise<void> {
  const { error } = await api.select(name, q, { normal: true }, stop)
  if (error) throw Failure.of(error)
}

// instead looks for what finds something: the nearest spelling, else one step wider.
async function instead(name: string, q: string, state: string, stop: AbortSignal): Promise<Suggestion[]> {
  const names = namesOf(await api.names(name, state, stop))
  const spelt = await those(name, respelled(q, names).slice(0, 2), state, stop)
  return spelt.length > 0 ? spelt : those(name, wider(q).slice(0, 4), state, stop)
}

// those returns the first of the suggestions that find something, with how many blocks.
async function those(name: string, list: Suggestion[], state: string, stop: AbortSignal): Promise<Suggestion[]> {
  for (const suggestion of list) {
    const q = addressed(suggestion.selector, state)
    const answer = await api.select(name, q, { limit: most }, stop).catch(() => null)
    const n = answer?.ids.length ?? 0
    if (n > 0) return [{ ...suggestion, why: `${suggestion.why}: ${plural(n, 'node')}` }]
  }
  return []
}

/** Returns which characters of the box a refusal is about: at least one, or the end of the text. */
export function wrongAt(q: string, state: string, failure: Failure | undefined): [number, number] | null {
  const offset = failure?.details.offset
  if (offset === undefined || !isSelector(q)) return null
  const sent = isRange(q) ? q : addressed(q, state)
  const lead = bytesOf(sent) - bytesOf(q)
  const from = unitAt(q, Math.max(0, offset - lead))
  const token = failure?.details.token ?? ''
  return [from, from + (token !== '' && q.startsWith(token, from) ? token.length : 1)]
}
