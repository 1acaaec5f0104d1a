// What a call would be without some of its blocks: which ones a person marked, what the server
// plans for them, and the fork that has them no more. The history stays as it is.
import { computed, effect, signal, untracked } from '@preact/signals'
import { stateName } from './address'
import { api, Failure, type PrunePlan } from './api'
import { into, type Loaded } from './load'
import { at, go, hasCalls, lastCycle, name, planned } from './state'

/** Whether clicks on blocks mark them. */
export const trying = signal(false)
/** Ids of the blocks that a person marked. */
export const marked = signal<ReadonlySet<string>>(new Set())
/** What a fork without them would be. */
export const attempt = signal<Loaded<Attempt>>({ state: 'loading' })

export interface Attempt {
  plan: PrunePlan
  /** The nodes to remove: a block inside the core of a turn goes with its turn. */
  ids: string[]
}

/** The call that the fork begins as. */
export const base = computed(() => (at.value === 'working' ? lastCycle.value : at.value))

/** Marks a block to be left out, or takes the mark away. */
export function mark(node: string): void {
  trying.value = true
  const next = new Set(marked.peek())
  if (!next.delete(node)) next.add(node)
  marked.value = next
}

/** Begins to try, or ends it and forgets the marks. */
export function turnTrying(): void {
  trying.value = !trying.peek()
  if (!trying.peek()) marked.value = new Set()
}

effect(() => {
  void name.value
  untracked(() => trying.peek() && turnTrying())
})

effect(() => {
  const [ids, shown, cycle] = [[...marked.value], name.value, base.value]
  if (ids.length === 0 || shown === null || !hasCalls.value) return untracked(() => {
    attempt.value = { state: 'loading' }
    if (planned.peek() !== null) planned.value = null
  })
  return untracked(() => into(attempt, (stop) => plan(shown, stateName(cycle), ids, stop)))
})

effect(() => {
  const { state, value } = attempt.value
  if (marked.value.size === 0) return
  const removed = state === 'ready' ? value!.plan.report.removed?.map((r) => r.id) : undefined
  planned.value = new Set([...marked.value, ...(removed ?? [])])
})

/** Asks what a fork of a call without some blocks would be. */
async function plan(context: string, state: string, ids: string[], stop: AbortSignal): Promise<Attempt> {
  for (let wanted = [...new Set(ids)]; ;) {
    try {
      return { plan: await api.planFork(context, state, wanted, stop), ids: wanted }
    } catch (problem) {
      const inCore = problem instanceof Failure && problem.code === 'E_PLACEMENT_INVALID' ? problem.details.node : undefined
      if (inCore === undefined || !wanted.includes(inCore)) throw problem
      const { turn } = await api.node(context, inCore, state, stop)
      if (turn === undefined) throw problem
      wanted = [...new Set(wanted.map((id) => (id === inCore ? turn : id)))]
    }
  }
}

/** Makes the fork, and shows it. */
export async function forkWithThis(to: string): Promise<void> {
  const [from, cycle, found] = [name.peek(), base.peek(), attempt.peek().value]
  if (from === null || !found) return
  const made = await api.fork(from, stateName(cycle), to)
  await api.prune(to, made.last_cycle, found.ids, `without ${marked.peek().size} blocks of ${stateName(cycle)}`)
  go({ name: to, at: null, vs: { name: from, at: cycle }, view: 'changes', node: null, q: '' })
}
