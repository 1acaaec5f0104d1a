// The line across the picture: the limit of the policy that the context keeps. Dragged, it asks
// what a limit of that height would remove. Nothing is committed.
import { computed, effect, signal, untracked } from '@preact/signals'
import { api, type Policies, type Policy, type PrunePlan, type Unit } from '../api'
import { plural, size } from '../format'
import { into, type Loaded } from '../load'
import { context, name, planned, strata, unit } from '../state'

/** The limit, null for none. */
export const limit = signal<number | null>(null)
/** What it would remove. */
export const plan = signal<Loaded<PrunePlan>>({ state: 'loading' })

/** The policy that the context keeps. */
const answered = signal<Loaded<Policies>>({ state: 'loading' })
const kept = computed<Policy | undefined>(() => answered.value.value?.kept)
/** What decides under limits alone, as with pact commit: old results go first, and the task stays. */
const limitsAlone: Policy = {
  protect_task: true,
  ranks: { result: -40, call: -30, thinking: -30, assistant: -20, user: -10 },
}

/** How long the line has to rest before the server is asked. */
const rest = 120

let timer = 0
let giveUp: () => void = () => {}

/** Sets the limit, and asks for its plan when it rests. */
export function setLimit(next: number | null): void {
  limit.value = next
  clearTimeout(timer)
  giveUp()
  if (next === null) {
    planned.value = null
    plan.value = { state: 'loading' }
    return
  }
  timer = setTimeout(() => {
    const shown = name.peek()
    if (shown === null) return
    const policy = { ...(kept.peek() ?? limitsAlone), [limitOf(unit.peek())]: next }
    giveUp = into(plan, (aborted) => api.plan(shown, policy, aborted))
  }, rest)
}

effect(() => {
  const ready = plan.value
  if (ready.state === 'ready') planned.value = new Set(ready.value!.report.removed?.map((r) => r.id) ?? [])
})

/** Whether there is a picture: it comes first, and whoever asks last waits least for the server. */
const drawn = computed(() => strata.value.value !== undefined)
effect(() => {
  const loaded = context.value.value
  if (loaded && !drawn.value) return undefined
  if (loaded) return untracked(() => into(answered, (aborted) => api.policies(loaded.name, aborted)))
  answered.value = { state: 'loading' }
  return undefined
})

/** Returns where the line stands: at the limit that is tried, else at that of the policy which
 * the context keeps; null for neither. */
export function budget(): number | null {
  return limit.value ?? kept.value?.[limitOf(unit.value)] ?? null
}

function limitOf(measured: Unit): 'max_bytes' | 'max_tokens' {
  return measured === 'bytes' ? 'max_bytes' : 'max_tokens'
}

/** Says what the line is while nobody drags it. */
export function budgetText(): string {
  const most = budget()
  return most === null ? 'drag to try a limit' : 'policy: at most ' + size(most, unit.value)
}

effect(() => {
  void name.value
  void unit.value
  if (limit.peek() !== null) setLimit(null)
})

/** Says what the limit would remove, and what that would cost. */
export function planText(at: number, answer: Loaded<PrunePlan>, measured: Unit): string {
  const of = 'limit ' + size(at, measured)
  if (answer.state === 'failed') return of + ': ' + answer.failure!.message
  const found = answer.value
  if (!found || answer.state === 'loading') return of + ' …'
  const removed = found.report.removed?.length ?? 0
  if (removed === 0) return of + ': nothing would go'
  const freed = size(found.report.freed?.[measured] ?? 0, measured)
  const lost = found.cached?.lost_bytes ?? 0
  return of + ': ' + plural(removed, 'node') + ' would go, ' + freed + '; ' +
    (lost > 0 ? size(lost, 'bytes') + ' of the cache would be lost' : 'the cache would lose nothing')
}
