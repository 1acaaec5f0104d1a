// The line across the picture that is dragged: it asks what a limit of that height would
// remove. Nothing is committed.
import { effect, signal } from '@preact/signals'
import { api, type PrunePlan, type Unit } from '../api'
import { size } from '../format'
import { into, type Loaded } from '../load'
import { name, planned, unit } from '../state'

/** The limit, null for none. */
export const limit = signal<number | null>(null)
/** What it would remove. */
export const plan = signal<Loaded<PrunePlan>>({ state: 'loading' })

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
    const limits = { ['max_' + unit.peek()]: next }
    giveUp = into(plan, (aborted) => api.plan(shown, limits, aborted))
  }, rest)
}

effect(() => {
  const ready = plan.value
  if (ready.state === 'ready') planned.value = new Set(ready.value!.report.removed?.map((r) => r.id) ?? [])
})

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
  return of + ': ' + removed + (removed === 1 ? ' node' : ' nodes') + ' would go, ' + freed + '; ' +
    (lost > 0 ? size(lost, 'bytes') + ' of the cache would be lost' : 'the cache would lose nothing')
}
