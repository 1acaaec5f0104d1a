import { useEffect, useState } from 'preact/hooks'
import { stateName } from '../address'
import type { Failure } from '../api'
import { bytes, count, percent, plural } from '../format'
import { useKeys } from '../keys'
import { failureOf } from '../load'
import { Problem } from '../parts'
import { address, embedded, hasCalls, name } from '../state'
import { safe } from '../text'
import { attempt, base, forkWithThis, mark, marked, turnTrying, trying } from '../whatif'

/** Below the picture: what the call would be without the marked blocks, and the fork that is so. */
export function WhatIf() {
  useKeys('What if', [
    {
      keys: ['x'],
      does: 'leave the selected block out, to try; again: keep it',
      run: () => {
        const { node } = address.peek()
        if (node === null || embedded || !hasCalls.peek()) return false
        mark(node)
        return true
      },
    },
    { keys: ['Escape'], does: 'end the try', run: () => trying.peek() && turnTrying() },
  ])
  if (!trying.value) return null
  const n = marked.value.size
  return (
    <section class="what-if" aria-label="What if">
      {n === 0 ? <p>Click blocks in the picture or messages, or press <kbd>x</kbd>, to see call {base.value} without them.</p> : <Answer n={n} />}
      <button type="button" onClick={turnTrying}>{n === 0 ? 'Cancel' : 'Clear'}</button>
    </section>
  )
}

function Answer({ n }: { n: number }) {
  const { state, value, failure } = attempt.value
  if (state === 'failed') return <Problem failure={failure!} />
  if (!value) return <p role="status">Call {base.value} without {plural(n, 'block')} …</p>
  const { before, after, cached, report } = value.plan
  const along = (report.removed?.length ?? 0) - n
  const lost = cached?.lost_bytes ?? 0
  return (
    <>
      <p role="status">
        Without {plural(n, 'block')}{along > 0 && <span class="faint"> ({plural(along, 'node')} go along)</span>}:{' '}
        <b>{bytes(after.bytes)}{after.tokens !== undefined && `, ${count(after.tokens)} tokens`}</b> instead of{' '}
        {bytes(before.bytes)}{before.tokens !== undefined && `, ${count(before.tokens)} tokens`} ({percent(after.bytes, before.bytes)}).{' '}
        {lost > 0
          ? <span class="warn">The cut costs {bytes(lost)} of the cache
            {cached?.lost_tokens !== undefined && `, ${count(cached.lost_tokens)} tokens`}, which are sent anew once.</span>
          : 'The cache loses nothing.'}
      </p>
      <Fork n={n} />
    </>
  )
}

/** Makes the fork under a name that a person may change. */
function Fork({ n }: { n: number }) {
  const offered = `${name.value}, ${stateName(base.value)} without ${plural(n, 'block')}`
  const [to, setTo] = useState(offered)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  useEffect(() => setTo(offered), [offered])
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setFailure(null)
    await forkWithThis(to).catch((problem: unknown) => setFailure(failureOf(problem)))
    setBusy(false)
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <input aria-label="Name of the fork" value={to} required onInput={(e) => setTo(e.currentTarget.value)} />
      <button type="submit" class="primary" disabled={busy || attempt.value.state !== 'ready'}>Fork with this</button>
      {failure && <span class="warn" role="alert">{safe(failure.message)}</span>}
    </form>
  )
}
