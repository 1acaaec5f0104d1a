import { ask, pathOf, queryOf } from '../api'

/** What a model was sent, byte for byte. */
export interface Sent {
  bytes: Uint8Array
  /** SHA-256 that the server says the bytes have, in hexadecimal. */
  said: string
  /** SHA-256 that this browser made of them; '' where it cannot. */
  made: string
  /** How many blocks the form has no place for. */
  left: number
}

/** Fetches the thread of a state in a form, and hashes what came. verbatim:1 is what attempt 1 sent. */
export async function fetchBytes(name: string, at: string, form: string, stop: AbortSignal): Promise<Sent> {
  const [asked, whole] = form.split('+')
  const [as, attempt] = (asked ?? '').split(':')
  const query = queryOf({ at, as, whole: whole && true, attempt })
  const answer = await ask(pathOf(name, '/thread' + query), { signal: stop })
  const buffer = await answer.arrayBuffer()
  const said = /[0-9a-f]{64}/.exec(answer.headers.get('ETag') ?? '')?.[0] ?? ''
  return {
    bytes: new Uint8Array(buffer),
    said,
    made: await sha256(buffer),
    left: Number(answer.headers.get('Pact-Left-Out') ?? 0),
  }
}

// Browsers hash only on pages that came from this machine or over TLS.
async function sha256(buffer: ArrayBuffer): Promise<string> {
  if (!('subtle' in crypto)) return ''
  const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', buffer))
  return [...sum].map((b) => b.toString(16).padStart(2, '0')).join('')
}
