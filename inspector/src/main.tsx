import { effect } from '@preact/signals'
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { api, Failure } from './api'
import { startLoading } from './data'
import { Help } from './help'
import { startFollowing } from './live'
import { failureOf } from './load'
import { Problem } from './parts'
import { Contexts } from './screens/contexts'
import { Working } from './screens/working'
import { address, name, notice } from './state'
import { safe } from './text'

function App() {
  return (
    <>
      {address.value.name === null ? <Contexts /> : <Working key={address.value.name} />}
      <Help />
      <p class="notice" role="status" data-shown={notice.value !== ''}>{notice.value}</p>
    </>
  )
}

/** Exchanges the token in the fragment of the address for a cookie, and takes it out of the
 * address bar and the history. */
async function signIn(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null) return
  history.replaceState(null, '', location.pathname + location.search)
  await api.signIn(token)
}

function Door() {
  const [state, setState] = useState<'out' | 'in' | Failure>('out')
  useEffect(() => {
    const knock = () => void signIn().then(() => (startLoading(), startFollowing(), setState('in')), (p) => setState(failureOf(p)))
    knock()
    // A tab that is open and is given the address of a later run does not load again: only
    // the fragment changes.
    addEventListener('hashchange', knock)
    return () => removeEventListener('hashchange', knock)
  }, [])
  if (state === 'in') return <App />
  if (state === 'out') return null
  return <main class="alone"><h1>PACT</h1><Problem failure={state} /></main>
}

effect(() => {
  document.title = name.value === null ? 'PACT' : safe(name.value) + ' – PACT'
})
render(<Door />, document.getElementById('app')!)
