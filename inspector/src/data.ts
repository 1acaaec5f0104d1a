// Keeps the shared answers up to date with the address and with what happens on the server.
import { effect, signal, untracked } from '@preact/signals'
import { type Elsewhere, isElsewhere, stateName, vsText } from './address'
import { api, type Call, type ContextRow, type Strata, type Unit } from './api'
import { into } from './load'
import { address, at, atName, call, calls, context, contexts, cutCalls, declined, family, firstCycle, go, hasCalls, lastCycle,
  matches, missing, name, noticeCalls, occurrences, offered, planned, strata, unit, vs, zoom } from './state'

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
    const [measured] = [unit.value, strataTurn.value, context.value.value.revision] // edits change the working state
    return untracked(() => into(strata, (signal) => api.strata(shown, from, to, columns, rows, measured, signal)))
  })
  effect(() => {
    const [shown, state, node] = [name.value, atName.value, address.value.node]
    // The picture comes first: what is known of a block takes the server a look at all calls.
    if (shown === null || strata.value.state !== 'ready' || cutCalls.value === null) return
    if (declined.value || missing.value || state !== stateName(at.value) || (node !== null && node !== offered.value)) return
    untracked(() => void offer(shown, state).catch(() => {})) // the panes say what is wrong
  })
  effect(() => {
    const shown = name.value
    if (shown === null || !isElsewhere(vs.value)) return void (guest.value = null)
    const [other, state, measured] = [vs.value, atName.value, unit.value]
    // Right after another context was opened, and while somebody scrubs, the state is that of before.
    if (context.value.value?.name !== shown || state !== stateName(at.value) || missing.value) return
    const control = new AbortController()
    untracked(() => void invite(shown, state, other, measured, control.signal).catch(() => {})) // the panes say what is wrong
    return () => control.abort()
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

/** Loads the list of contexts. */
export function loadContexts(): void {
  giveUpList()
  giveUpList = into(contexts, async (signal) => {
    const all: ContextRow[] = []
    for (let after = ''; ;) {
      const page = await api.contexts(after, signal)
      all.push(...page.items)
      if (!page.next) return all
      after = page.next
    }
  })
}

let giveUpList = () => {}

/** Loads a context, from nothing. */
export function loadContext(name: string): void {
  calls.value = strata.value = { state: 'loading' }
  context.value = { state: 'loading' }
  zoom.value = matches.value = planned.value = occurrences.value = offered.value = null
  declined.value = false
  family.value = []
  into(context, (signal) => api.context(name, signal), noticeCalls)
  void loadFamily(name)
}

/** Loads what the context comes from and what comes from it. Without it the screen says the most. */
export async function loadFamily(of: string): Promise<void> {
  const found = await api.family(of).catch(() => null)
  if (found && name.peek() === of) family.value = found.items
}

/** Selects what is the matter in a call, without pinning it: the block that cut the prefix, else the
 * largest new one, else the largest. */
async function offer(shown: string, state: string): Promise<void> {
  const key = shown + '\n' + state
  if (offeredFor === key && address.peek().node !== null) return
  offeredFor = key
  const largest = async (fresh: boolean) =>
    (await api.blocks(shown, { at: state, order: 'bytes', new: fresh || undefined, limit: 1 })).items[0]?.id
  const node = call.peek()?.cut?.node ?? await largest(true) ?? await largest(false)
  const untouched = !declined.peek() && name.peek() === shown && atName.peek() === state && address.peek().node === offered.peek()
  if (node === undefined || !untouched) return
  offered.value = node
  go({ node }, 'replace')
}

/** The context and the state for which that was done. */
let offeredFor = ''

/** A call of another context beside the picture, and up to which height the call that is shown repeats it. */
export const guest = signal<{ strata: Strata; name: string; shared: number; parts: boolean } | null>(null)

async function invite(shown: string, state: string, other: Elsewhere, unit: Unit, signal: AbortSignal): Promise<void> {
  const [cycle, text] = [other.at === 'working' ? 0 : other.at, vsText(other)]
  const [strata, blocks] = await Promise.all([api.strata(other.name, cycle, cycle, 1, rows, unit, signal),
    api.blocks(shown, { at: state, vs: text, limit: 1, unit }, signal)])
  if (signal.aborted) return
  const shared = blocks.cut ? blocks.cut.height : Math.min(strata.max, call.peek()?.size ?? strata.max)
  guest.value = { strata, name: text, shared, parts: blocks.cut !== undefined }
}

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
