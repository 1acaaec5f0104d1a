// All state that several parts of the screen share. Parts read the signals and call the
// functions; nobody else changes a signal of this file.
import { computed, effect, signal } from '@preact/signals'
import { type Address, type At, formatAddress, parseAddress, stateName, type Vs, vsText } from './address'
import type { Call, ContextRow, Occurrences, Strata, Unit } from './api'
import type { Loaded } from './load'
import { panned } from './strata/layout'

/** The data of a run that stands in the page, null where a server answers. */
export const embedded = document.getElementById('run')

/** Reads the address bar. A page on a disk has its own address, and what it shows stands behind a #. */
function readAddress(): Address {
  if (!embedded) return parseAddress(location.pathname, location.search)
  return parseAddress('/c/' + embedded.dataset.name, location.hash.split('?')[1] ?? '') // it has one run
}

/** Returns what the address bar and links have for an address. */
export function linkTo(a: Address): string {
  return (embedded ? '#' : '') + formatAddress(a)
}

/** What the screen shows, the same as the address bar. */
export const address = signal<Address>(readAddress())

/** Name of the context that is shown, null for none. */
export const name = computed(() => address.value.name)

/** The list of all contexts. */
export const contexts = signal<Loaded<ContextRow[]>>({ state: 'loading' })
/** The context that is shown. */
export const context = signal<Loaded<ContextRow>>({ state: 'loading' })
/** Its calls, oldest first, without gaps. They arrive in pieces. */
export const calls = signal<Loaded<Call[]>>({ state: 'loading' })
/** The contexts that the one that is shown comes from, and those that come from it. */
export const family = signal<ContextRow[]>([])
/** Returns the names of the contexts that a block began: the sub-agents of a call. */
export function begunAt(node: string): string[] {
  return family.value.filter((row) => row.begun_by?.node === node && row.begun_by.context === name.value).map((row) => row.name)
}
/** The picture of the calls in view. */
export const strata = signal<Loaded<Strata>>({ state: 'loading' })
/** How heights are measured. */
export const unit = signal<Unit>('bytes')
/** What the colours of the picture mean. */
export const colouring = signal<'kind' | 'age' | 'size' | 'actor'>('kind')
/** The calls that the picture shows, first and last; null for all. */
export const zoom = signal<[number, number] | null>(null)
/** Ids of the blocks that the selector box found; null if nothing is looked for. */
export const matches = signal<ReadonlySet<string> | null>(null)
/** Where in all calls the words of the box stand; null if none are looked for. */
export const occurrences = signal<Occurrences | null>(null)
/** Ids of the blocks that a plan would remove, and what the plan is about. */
export const planned = signal<ReadonlySet<string> | null>(null)
/** Whether events of the server arrive. "locked": the server runs again and has another token;
 * "over": the context is gone; "file": there is no server. */
export const connection = signal<'connecting' | 'live' | 'lost' | 'locked' | 'over' | 'file'>('connecting')
/** Grows when an attempt began or ended, or the log grew. */
export const attemptsTurn = signal(0)
/** A short notice, such as that the address was copied. */
export const notice = signal('')
let silence = 0

/** Shows a notice for a moment. */
export function say(text: string): void {
  notice.value = text
  clearTimeout(silence)
  silence = setTimeout(() => void (notice.value = ''), 2500)
}

/** Whether the table of keys is open. */
export const helpOpen = signal(false)

/** The latest call that there is, 0 if there is none. */
export const lastCycle = computed(() => context.value.value?.last_cycle ?? 0)
/** The oldest call that there is. */
export const firstCycle = computed(() => Math.max(1, context.value.value?.first_cycle ?? 1))
/** Whether there is a call at all. */
export const hasCalls = computed(() => lastCycle.value >= firstCycle.value)

/** The last call that the screen follows to. It lags behind lastCycle if somebody scrubbed
 * back: then newCalls counts the difference. */
const seenCycle = signal(0)

/** The call that is shown, or the working state where there is none. */
export const at = computed<At>(() => {
  const given = address.value.at
  if (given === 'working' || !hasCalls.value) return 'working'
  return given ?? lastCycle.value
})
/** Whether the address names a call that is not there. */
export const missing = computed(() =>
  typeof at.value === 'number' && (at.value < firstCycle.value || at.value > lastCycle.value))
/** Whether edits changed the working state since the latest call. */
export const hasDraft = computed(() => hasCalls.value && Boolean(strata.value.value?.columns.at(-1)?.draft))
/** What the call is compared with: the marked one, or the one before; null if there is none. */
export const vs = computed<Vs | null>(() => {
  if (address.value.vs !== null) return address.value.vs
  const shown = at.value
  if (shown === 'working') return hasCalls.value ? lastCycle.value : null
  return shown > firstCycle.value ? shown - 1 : null
})
/** Whether the picture of all calls still lacks the latest one, and is to get it. */
const pictureLags = computed(() => {
  const { state, value } = strata.value
  return zoom.value === null && state !== 'failed' && value !== undefined && value.to < lastCycle.value
})
/** The same two as the API takes them, for those who ask the server: they rest while somebody
 * scrubs, else every call on the way would be asked for. */
export const atName = signal(stateName(at.peek()))
export const vsName = signal(nameOr(vs.peek()))
const scrubRest = 120
let changed = 0
let restTimer = 0
/** The context for which they were set last; "" before there is one. */
let settledFor = ''
/** Whether they name a call that is not there: nobody may ask for it once another one is shown. */
let settledOnNone = false
effect(() => {
  const [next, nextVs] = [stateName(at.value), nameOr(vs.value)]
  const about = context.value.value?.name ?? ''
  // A new call is drawn before the lists ask for it, which takes the server longer.
  if (about === settledFor && address.value.at === null && pictureLags.value) return
  const settle = () => {
    atName.value = next
    vsName.value = nextVs
  }
  clearTimeout(restTimer)
  const now = performance.now()
  // Before the context is there nobody knows its latest call: nothing rests then.
  if (about !== settledFor || settledOnNone || now - changed > scrubRest) settle()
  else restTimer = setTimeout(settle, scrubRest)
  changed = now
  settledFor = about
  settledOnNone = missing.value
})

function nameOr(vs: Vs | null): string | undefined {
  return vs === null ? undefined : vsText(vs)
}

/** The call that is shown, undefined until it is loaded. */
export const call = computed(() => callOf(at.value))
/** The calls at which the prefix was cut; null until all calls are there. */
export const cutCalls = computed<Call[] | null>(() => {
  const { state, value } = calls.value
  return state === 'ready' ? value!.filter((c) => c.cut) : null
})
/** Whether the screen follows the latest call. */
export const following = computed(() => address.value.at === null)
/** How many calls came since the screen stopped following. */
export const newCalls = computed(() => (following.value ? 0 : Math.max(0, lastCycle.value - seenCycle.value)))

/** Returns the call of a cycle, undefined if it is not loaded. */
export function callOf(cycle: At | null): Call | undefined {
  const list = calls.value.value
  if (typeof cycle !== 'number' || !list || list.length === 0) return undefined
  return list[cycle - list[0]!.cycle]
}

/** Remembers the latest call that there is, for the count of new ones. */
export function noticeCalls(): void {
  seenCycle.value = lastCycle.peek()
}

/** Shows something else. A step that the back button shall undo is pushed; scrubbing
 * replaces. */
export function go(change: Partial<Address>, how: 'push' | 'replace' = 'push'): void {
  const next = { ...address.peek(), ...change }
  const text = formatAddress(next)
  if (text === formatAddress(address.peek())) return
  if (next.at !== null && address.peek().at === null) noticeCalls()
  if (how === 'push') {
    writeAddress()
    history.pushState(null, '', linkTo(next))
  } else {
    clearTimeout(writeTimer)
    writeTimer = setTimeout(writeAddress, scrubRest)
  }
  address.value = next
}

let writeTimer = 0

/** Writes the address bar. Browsers refuse to do that hundreds of times in a few seconds, as
 * scrubbing would. */
function writeAddress(): void {
  clearTimeout(writeTimer)
  const text = linkTo(address.peek())
  if (text !== (embedded ? location.hash : location.pathname + location.search)) history.replaceState(null, '', text)
}

/** The block that the screen selected by itself. Another call brings another one. */
export const offered = signal<string | null>(null)
/** Whether a person wants no block to be selected by itself. */
export const declined = signal(false)

/** Shows the working state. */
export function showDraft(): void {
  go({ at: 'working' }, 'replace')
}

/** Shows a call. */
export function scrub(cycle: number): void {
  const bounded = Math.min(Math.max(cycle, firstCycle.peek()), lastCycle.peek())
  if (bounded === lastCycle.peek()) noticeCalls()
  if (zoom.peek()) zoom.value = panned(zoom.peek()!, bounded)
  go({ at: bounded === lastCycle.peek() && following.peek() ? null : bounded }, 'replace')
}

/** Selects a block, and pins the call, so that new calls do not move it. */
export function select(node: string | null, cycle?: At, how: 'push' | 'replace' = 'push'): void {
  declined.value = node === null
  offered.value = null
  go({ node, at: cycle ?? at.peek() }, how)
}

/** Lights up blocks in the picture and in the lists; null lights up none and dims none. */
export function light(found: ReadonlySet<string> | null): void {
  matches.value = found
}

/** Goes to the latest call and stays with it. */
export function follow(): void {
  if (zoom.peek()) zoom.value = panned(zoom.peek()!, lastCycle.peek())
  go({ at: null })
}

addEventListener('popstate', () => {
  clearTimeout(writeTimer)
  address.value = readAddress()
})
