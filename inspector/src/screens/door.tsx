import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { api, type Failure } from '../api'
import { startLoading } from '../data'
import { startFollowing } from '../live'
import { askAgain, failureOf } from '../load'
import { contexts, go, say } from '../state'
import { safe } from '../text'

/** Whether the pages are shown, or why not. */
export const door = signal<'out' | 'in' | Failure>('out')

/** Shows the pages, and asks for everything anew. */
export function open(): void {
  startLoading()
  startFollowing()
  askAgain()
  door.value = 'in'
}

/** A field for a token, or for the address that the server printed; wrong says what became of the last one. */
export function SignIn({ wrong = null }: { wrong?: Failure | null }) {
  const [failure, setFailure] = useState(wrong)
  const [busy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('token') as HTMLInputElement
    setBusy(true)
    setFailure(null)
    try {
      await api.signIn(tokenOf(field.value))
      open()
    } catch (problem) {
      setFailure(failureOf(problem))
    }
    setBusy(false)
  }
  return (
    <form class="sign-in" onSubmit={(event) => void submit(event)}>
      <label>
        <span>Token, or the address that <code>pact serve</code> printed last</span>
        <input name="token" type="password" required autocomplete="current-password" spellcheck={false} />
      </label>
      <button type="submit" disabled={busy}>Sign in</button>
      <p role="status" class="warn">
        {failure && (failure.status === 401 ? 'This token opens nothing here.' : safe(failure.message))}
      </p>
    </form>
  )
}

/** Returns the token in a text: all of it, or what an address has behind #token=. */
function tokenOf(text: string): string {
  return new URLSearchParams(/#(.*)$/.exec(text)?.[1] ?? '').get('token') ?? text.trim()
}

/** Exchanges the token in the fragment of the address for a cookie, and takes it out of the
 * address bar and the history. */
export async function enterByAddress(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null) return
  history.replaceState(null, '', location.pathname + location.search)
  await api.signIn(token)
}

/** The page for those who are not signed in. */
export function SignInPage({ wrong }: { wrong?: Failure }) {
  return <main class="alone"><h1>PACT</h1><SignIn wrong={wrong} /></main>
}

/** Lets go of the cookie and of what is on the screen. What the server still shows then, it shows to
 * everybody. */
export async function leave(): Promise<void> {
  await api.signOut()
  contexts.value = { state: 'loading' }
  go({ name: null, at: null, vs: null, node: null, q: '' })
  startLoading()
  say('Signed out')
}
