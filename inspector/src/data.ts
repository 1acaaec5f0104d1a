// Keeps the shared answers up to date with the address and with what happens on the server.
import { effect, signal, untracked } from '@preact/signals'
import { api, type Call, type ContextRow } from './api'
import { into } from './load'
import { address, call, calls, context, contexts, cutCalls, firstCycle, following, go, hasCalls, lastCycle, matches, name,
  noticeCalls, offered, planned, strata, unit, zoom } from './state'

/** How many calls are asked for at once. */
const piece = 2000
/** The most columns and rows of the picture that a screen can show. */
const columns = 800
const rows = 300

let started = false
/** Grows when the picture shall be asked for again. */
const strataTurn = signal(0)

/** Asks for the picture again. */
export function reloadStrata(): void {
  strataTurn.value++
}

/** Starts to load what the address asks for, now and whenever it changes. If that has begun
 * already, it loads everything again. */
export function startLoading(): void {
  if (started) return load(address.value.name)
  started = true
  effect(() => {
    const shown = name.value
    untracked(() => load(shown))
  })
  effect(() => {
    const shown = name.value
    if (shown === null || context.value.value === undefined) return
    const [from, to] = zoom.value ?? (hasCalls.value ? [firstCycle.value, lastCycle.value] : [0, 0])
    const [measured] = [unit.value, strataTurn.value]
    return untracked(() => into(strata, (signal) => api.strata(shown, from, to, columns, rows, measured, signal)))
  })
  effect(() => {
    const shown = name.value
    // The picture comes first: what is known of a block takes the server a look at all calls.
    if (shown === null || strata.value.state !== 'ready') return
    if (cutCalls.value === null || address.value.node !== null) return
    untracked(() => void selectFirst(shown).catch(() => {})) // the panes say what is wrong
  })
  effect(() => {
    const shown = name.value
    if (shown === null || !hasCalls.value) return
    const [from, to, measured] = [firstCycle.value, lastCycle.value, unit.value]
    return untracked(() => into(calls, (signal) => loadCalls(shown, from, to, measured, signal)))
  })
}

function load(name: string | null): void {
  if (name === null) loadContexts()
  else loadContext(name)
}

/** Loads the list of contexts: first the names, then what the server has to read contexts for,
 * row by row. */
export function loadContexts(): void {
  giveUpList()
  giveUpList = into(contexts, async (signal) => {
    const all: ContextRow[] = []
    for (let after = ''; ;) {
      const page = await api.contexts(after, false, signal)
      all.push(...page.contexts)
      if (!page.next) break
      after = page.next
    }
    void addDetails(all, signal).catch(() => {}) // the list says the most without them
    return all
  })
}

let giveUpList = () => {}

/** Adds to the rows of the list what their contexts say, a page at a time. */
async function addDetails(list: ContextRow[], signal: AbortSignal): Promise<void> {
  const known = new Map(list.map((row) => [row.name, row]))
  for (let after = ''; name.peek() === null;) {
    const page = await api.contexts(after, true, signal)
    if (signal.aborted) return
    for (const row of page.contexts) known.set(row.name, row)
    contexts.value = { state: 'ready', value: list.map((row) => known.get(row.name)!) }
    if (!page.next) return
    after = page.next
  }
}

/** Loads a context, from nothing. */
export function loadContext(name: string): void {
  calls.value = strata.value = { state: 'loading' }
  context.value = { state: 'loading' }
  zoom.value = matches.value = planned.value = null
  into(context, (signal) => api.context(name, signal), noticeCalls)
}

/** Selects a block of the latest call, once, without pinning the call: the one that cut the
 * prefix; where none did, what fills the context is the next question, so the largest. */
async function selectFirst(shown: string): Promise<void> {
  if (chosenFor === shown) return
  chosenFor = shown
  if (!following.peek()) return
  const cut = call.peek()?.cut?.node
  const answer = cut === undefined && await api.blocks(shown, { at: '@t0', order: 'bytes', limit: 1 })
  const node = answer ? answer.items[0]?.node : cut
  const untouched = name.peek() === shown && following.peek() && address.peek().node === null
  if (node === undefined || !untouched) return
  offered.value = node
  go({ node }, 'replace')
}

/** The context for which that was done. */
let chosenFor: string | null = null

/** Asks what became of the context that is shown, and keeps what is there until then. */
export async function refreshContext(shown: string): Promise<void> {
  const found = await api.context(shown)
  if (name.peek() === shown) context.value = { state: 'ready', value: found }
}

/** Loads the calls that are missing, in pieces that appear as they come. */
async function loadCalls(name: string, from: number, to: number, measured: string, signal: AbortSignal):
  Promise<Call[]> {
  const known = calls.peek().value ?? []
  const same = known.length > 0 && known[0]!.cycle === from && listUnit === measured
  let list = same ? known.filter((c) => c.cycle <= to) : []
  listUnit = measured
  while (from + list.length <= to) {
    const next = from + list.length
    const page = await api.calls(name, next, Math.min(to, next + piece - 1), unit.peek(), signal)
    if (page.items.length === 0) break
    list = [...list, ...page.items]
    if (!signal.aborted) calls.value = { state: 'loading', value: list }
  }
  return list
}

/** The unit in which the list of calls is measured. */
let listUnit = ''
