import { useRef } from 'preact/hooks'
import { type At, formatAddress, stateName } from '../address'
import type { Call } from '../api'
import { count } from '../format'
import { useKeys } from '../keys'
import { SelectorBox } from '../selector/box'
import { address, at, call, calls, connection, context, contexts, cutCalls, follow, following, go, hasCalls, helpOpen,
  neverBroke, notice, vs } from '../state'
import { loadContext, loadContexts } from '../data'
import { Problem } from '../parts'
import { doubtOf } from '../provider'
import { safe } from '../text'

/** The bar at the top, and the sentence below it. */
export function Header() {
  useKeys('Address', [{ keys: ['y'], does: 'copy the address of exactly this', run: copyAddress }])
  return (
    <header class="head">
      <nav class="bar" aria-label="Context">
        <Switch />
        <p class="bar-calls">
          <b>{at.value === 'working' ? 'working state' : stateName(at.value)}</b>
          {vs.value !== null && <> <span role="img" aria-label="compared with">⟷</span> {stateName(vs.value)}</>}
          {address.value.vs !== null && (
            <button type="button" class="plain" aria-label="Compare with the call before again"
              onClick={() => go({ vs: null })}>×</button>
          )}
        </p>
        <SelectorBox />
        <Live />
        <button type="button" class="plain" aria-label="Keys" onClick={() => void (helpOpen.value = true)}>?</button>
      </nav>
      <Lost />
      <Sentence />
    </header>
  )
}

/** The name of the context, and the list to choose another one from. */
function Switch() {
  const list = useRef<HTMLDivElement>(null)
  const choose = (name: string | null) => (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return // a new tab or window
    event.preventDefault()
    list.current?.hidePopover()
    go({ name, at: null, vs: null, node: null, q: '' })
  }
  return (
    <>
      <button type="button" class="plain bar-name" popovertarget="switch" onClick={loadContexts}>
        <bdi>{safe(address.value.name ?? '')}</bdi> <span aria-hidden="true">▾</span>
      </button>
      <div ref={list} id="switch" class="switch" popover="auto">
        <a href="/" onClick={choose(null)}>All contexts</a>
        <ul>
          {contexts.value.value?.map((row) => (
            <li key={row.name}>
              <a href={'/c/' + encodeURIComponent(row.name)} onClick={choose(row.name)}
                aria-current={row.name === address.value.name ? 'page' : undefined}><bdi>{safe(row.name)}</bdi></a>
            </li>
          ))}
        </ul>
      </div>
    </>
  )
}

/** Whether the screen follows a running agent. */
function Live() {
  const state = connection.value
  const text = { live: 'live', connecting: 'connecting', lost: 'connection lost', locked: 'locked', over: 'gone' }[state]
  if (state === 'live' && !following.value) {
    return <button type="button" class="live" data-state="paused" onClick={follow}>follow <i /></button>
  }
  return <span class="live" data-state={state} role="status">{text} <i aria-hidden="true" /></span>
}

/** Says that what is on the screen may be old. */
function Lost() {
  switch (connection.value) {
    case 'lost':
      return <p class="lost" role="alert">The server does not answer. This is the last state; trying again …</p>
    case 'locked':
      return (
        <p class="lost" role="alert">
          The server was started again. Open the address that it printed; this is the last state.
        </p>
      )
    case 'over':
      return <p class="lost" role="alert">The context was deleted or renamed. This is its last state.</p>
    default:
      return null
  }
}

/** Says what the call repeats and why it repeats no more. */
function Sentence() {
  const shown = call.value
  if (at.value === 'working') {
    return (
      <h1 class="sentence">
        {context.value.value && !hasCalls.value
          ? <>No call yet: this is the working state. <code>pact commit {safe(address.value.name ?? '')}</code> ends the cycle.</>
          : context.value.value && 'The working state, which no commit has published.'}
      </h1>
    )
  }
  const { state, failure } = calls.value
  if (!shown && state === 'failed') {
    return <Problem failure={failure!} again={() => loadContext(address.peek().name!)} />
  }
  return (
    <h1 class="sentence" aria-live="polite" data-cut={Boolean(shown?.cut)}>
      {shown && safe(shown.sentence)}
      {shown && <span class="doubt"> {doubtOf(shown)}</span>}
      {neverBroke.value && <span class="never"> The prefix never broke; 100 % could be cached.</span>}
      {shown?.cut ? <SeeCut at={address.value.at} cut={shown} /> : shown && <CutBefore cycle={shown.cycle} />}
    </h1>
  )
}

/** Says where the prefix broke last before a call that repeats all of the one before it. */
function CutBefore({ cycle }: { cycle: number }) {
  const before = (cutCalls.value ?? []).filter((c) => c.cycle < cycle)
  const last = before.at(-1)
  if (!last) return null
  return (
    <span class="never">
      {' '}Before it the prefix broke {before.length === 1 ? 'once, in' : `${count(before.length)} times, last in`} call{' '}
      {last.cycle}.
      <SeeCut at={last.cycle} cut={last} />
    </span>
  )
}

/** Shows what changed at a cut. */
function SeeCut({ at, cut }: { at: At | null; cut: Call }) {
  const show = () => go({ at, vs: null, view: 'changes', node: cut.cut?.node ?? address.value.node })
  return <button type="button" onClick={show}>See it</button>
}

/** Copies the address of exactly what is shown: a screen that follows the latest call is
 * pinned to it. */
function copyAddress(): void {
  const shown = at.peek()
  go({ at: shown }, 'replace')
  const text = location.origin + formatAddress(address.peek())
  navigator.clipboard.writeText(text).then(
    () => say('Address copied'),
    () => say(text),
  )
}

let silence = 0

function say(text: string): void {
  notice.value = text
  clearTimeout(silence)
  silence = setTimeout(() => void (notice.value = ''), 2500)
}
