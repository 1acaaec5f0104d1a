import { effect } from '@preact/signals'
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { Help } from './help'
import { failureOf } from './load'
import { Problem } from './parts'
import { Contexts } from './screens/contexts'
import { door, enterByAddress, open, SignInPage } from './screens/door'
import { Working } from './screens/working'
import { address, embedded, name, notice } from './state'
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

function Door() {
  const state = door.value
  useEffect(() => {
    const knock = () => void enterByAddress().then(() => open(), (problem) => void (door.value = failureOf(problem)))
    knock()
    if (embedded) return undefined
    // A tab that is open and is given the address of a later run does not load again: only
    // the fragment changes.
    addEventListener('hashchange', knock)
    return () => removeEventListener('hashchange', knock)
  }, [])
  if (state === 'in') return <App />
  if (state === 'out') return null
  if (state.status === 401) return <SignInPage wrong={state} />
  return <main class="alone"><h1>PACT</h1><Problem failure={state} /></main>
}

effect(() => {
  document.title = name.value === null ? 'PACT' : safe(name.value) + ' – PACT'
})
render(<Door />, document.getElementById('app')!)
