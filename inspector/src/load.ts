// Answers of the server while they are on their way, there, or missing.
import { signal, type Signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { Failure, unreachable } from './api'

/** What to ask again once the server answers. */
const unanswered = new Set<() => void>()

/** Repeats every request that did not reach the server and whose answer is still wanted. */
export function askAgain(): void {
  const list = [...unanswered]
  unanswered.clear()
  for (const ask of list) ask()
}

/** An answer and what became of the request. The last answer stays while a newer one is on
 * its way, or if that one failed. */
export interface Loaded<T> {
  state: 'loading' | 'ready' | 'failed'
  value?: T
  failure?: Failure
}

/** Asks for an answer, and again whenever the key changes; a null key asks for nothing. The
 * request for the key before is aborted. again() repeats the request. */
export function useLoaded<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>):
  Loaded<T> & { again: () => void } {
  const box = useMemo(() => ({ answer: signal<Loaded<T>>({ state: 'loading' }), turn: signal(0) }), [])
  const turn = box.turn.value
  useEffect(() => (key === null ? undefined : into(box.answer, load)), [key, turn])
  return { ...box.answer.value, again: () => void box.turn.value++ }
}

/** Puts an answer into a signal when it comes, and then calls a function. The function that it
 * returns gives it up. */
export function into<T>(target: Signal<Loaded<T>>, load: (signal: AbortSignal) => Promise<T>, then?: () => void):
  () => void {
  const control = new AbortController()
  const put = (next: Loaded<T>) => {
    if (!control.signal.aborted) target.value = next
  }
  const ask = () => {
    put({ ...target.peek(), state: 'loading' })
    load(control.signal).then(
      (value) => {
        if (control.signal.aborted) return
        put({ state: 'ready', value })
        then?.()
      },
      (problem: unknown) => {
        const failure = failureOf(problem)
        if (failure.code === unreachable && !control.signal.aborted) unanswered.add(ask)
        put({ ...target.peek(), state: 'failed', failure })
      },
    )
  }
  ask()
  return () => {
    control.abort()
    unanswered.delete(ask)
  }
}

/** Returns any problem as a Failure. */
export function failureOf(problem: unknown): Failure {
  return problem instanceof Failure ? problem : new Failure(0, 'E_INTERNAL', String(problem))
}
