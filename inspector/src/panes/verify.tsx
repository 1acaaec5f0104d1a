import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, pathOf } from '../api'
import { failureOf } from '../load'
import { safe } from '../text'
import { Copy, plural } from './parts'
import type { Sent } from './sent'

interface Line {
  done?: boolean
  ok?: boolean
  message?: string
  [other: string]: unknown
}

/** The hash of the bytes and whether the store still holds what writers gave it. */
export function Verify({ name, sent }: { name: string; sent: Sent }): JSX.Element {
  const [line, setLine] = useState<Line | null>(null)
  const [busy, setBusy] = useState(false)
  const stop = useRef<AbortController | null>(null)
  useEffect(() => () => stop.current?.abort(), [name])
  const run = async (): Promise<void> => {
    stop.current = new AbortController()
    setBusy(true)
    try {
      for await (const next of lines(await ask(pathOf(name, '/verify'), { signal: stop.current.signal }))) setLine(next)
    } catch (problem) {
      if (!stop.current.signal.aborted) setLine({ done: true, ok: false, message: failureOf(problem).message })
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
      <button type="button" onClick={() => void run()} disabled={busy}>
        {busy ? 'verifying…' : 'verify'}
      </button>
      {line && (
        <span role="status" data-ok={line.ok}>
          {safe(line.message ?? '')}
        </span>
      )}
    </div>
  )
}

// lines reads JSON lines as they arrive.
async function* lines(answer: Response): AsyncGenerator<Line> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const piece = await reader?.read()
    rest += piece?.value ?? ''
    const parts = rest.split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) if (part.trim() !== '') yield JSON.parse(part) as Line
    if (!piece || piece.done) break
  }
  if (rest.trim() !== '') yield JSON.parse(rest) as Line
}
