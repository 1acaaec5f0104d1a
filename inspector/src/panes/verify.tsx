import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, pathOf } from '../api'
import { plural } from '../format'
import { failureOf } from '../load'
import { safe } from '../text'
import { Copy } from '../parts'
import type { Sent } from './sent'

/** A line of a verification: how far it is, and at last what it found. */
interface Checked {
  done: number
  total: number
  result?: Result
}

interface Result {
  snapshots: number
  versions: number
  sent: number
  /** The first thing that does not hold. */
  broken?: { cycle: number; loose?: boolean; working?: boolean; node?: string; what: string }
}

/** The hash of the bytes, and whether the store still holds what writers gave it. */
export function Verify({ name, sent }: { name: string; sent: Sent }): JSX.Element {
  const [said, say] = useState<{ ok: boolean | undefined; text: string } | null>(null)
  const [busy, setBusy] = useState(false)
  const stop = useRef<AbortController | null>(null)
  useEffect(
    () => () => {
      stop.current?.abort()
      say(null)
    },
    [name],
  )
  const run = async (): Promise<void> => {
    const control = (stop.current = new AbortController())
    setBusy(true)
    say(null)
    try {
      let last: Checked | undefined
      for await (last of lines(await ask(pathOf(name, '/verify'), { signal: control.signal })))
        say(last.result ? told(last.result) : { ok: undefined, text: `${last.done} of ${last.total}` })
      if (!last?.result) say({ ok: false, text: 'The server broke off before it had checked everything.' })
    } catch (problem) {
      if (!control.signal.aborted) say({ ok: false, text: failureOf(problem).message })
    }
    setBusy(false)
  }
  const hash = sent.made || sent.said
  return (
    <div class="hash">
      <span>
        SHA-256 <code>{hash.slice(0, 16)}…</code>
      </span>
      <Copy what="copy hash" text={() => hash} />
      {sent.made !== '' && sent.said !== '' && (
        <span data-ok={sent.made === sent.said}>
          {sent.made === sent.said ? '✓ as the server said' : '✗ not what the server said'}
        </span>
      )}
      {sent.left > 0 && (
        <span class="warn">{plural(sent.left, 'block')} left out: this form has no place for them</span>
      )}
      <button type="button" onClick={() => void run()} disabled={busy} title="Read and check all of it">
        {busy ? 'verifying…' : 'verify'}
      </button>
      <span role="status" data-ok={said?.ok}>
        {safe(said?.text ?? '')}
      </span>
    </div>
  )
}

function told(result: Result): { ok: boolean; text: string } {
  const { broken, snapshots, versions, sent } = result
  if (!broken) {
    const asSent = sent > 0 ? `, ${sent} of them as sent, byte for byte` : ''
    const read = `${plural(snapshots, 'snapshot')}${asSent}; ${plural(versions, 'version')} of nodes`
    return { ok: true, text: '✓ holds: ' + read }
  }
  const where = broken.loose ? '' : broken.working ? ' in the working state' : ` in @c${broken.cycle}`
  return { ok: false, text: `✗ does not hold${where}${broken.node ? ', ' + broken.node : ''}: ${broken.what}` }
}

// lines reads JSON lines as they arrive.
async function* lines(answer: Response): AsyncGenerator<Checked> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const piece = await reader?.read()
    rest += piece?.value ?? ''
    const parts = rest.split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) if (part.trim() !== '') yield JSON.parse(part) as Checked
    if (!piece || piece.done) break
  }
  if (rest.trim() !== '') yield JSON.parse(rest) as Checked
}
