import { useRef } from 'preact/hooks'
import { computed } from '@preact/signals'
import { type At, stateName, vsText } from '../address'
import { type Call, pathOf } from '../api'
import { count, percent, size } from '../format'
import { useKeys } from '../keys'
import { panel, SelectorBox } from '../selector/box'
import { address, at, call, calls, connection, context, contexts, embedded, family, firstCycle, follow, following,
  go, hasCalls, hasDraft, helpOpen, lastCycle, linkTo, missing, name, say, strata, unit, vs } from '../state'
import { guest, loadContext, loadContexts } from '../data'
import { Link, Problem } from '../parts'
import { line, safe } from '../text'
import { Bond, Rails } from './contexts'
import { leave, SignIn } from './door'
import { familyOf } from './family'

/** The bar at the top, and the sentence below it. */
export function Header() {
  useKeys('Address', [{ keys: ['y'], does: 'copy the address of exactly this', run: copyAddress }])
  return (
    <header class="head">
      <nav class="bar" aria-label="Context">
        <Switch />
        <Origin />
        <p class="bar-calls">
          <b>{at.value === 'working' ? 'working state' : stateName(at.value)}</b>
          {vs.value !== null && !missing.value && (
            <> <span role="img" aria-label="compared with">⟷</span> <bdi>{line(vsText(vs.value), 40)}</bdi></>
          )}
          {address.value.vs !== null && (
            <button type="button" class="plain" aria-label="Compare with the call before again"
              onClick={() => go({ vs: null })}>×</button>
          )}
        </p>
        {embedded ? <InFile file={embedded} /> : <SelectorBox />}
        <Live />
        <button type="button" class="plain" aria-label="Keys" onClick={() => void (helpOpen.value = true)}>?</button>
      </nav>
      <Lost />
      <Sentence />
      <BoxPanel />
    </header>
  )
}

/** What the selector box found, below the sentence, so that it covers nothing. */
function BoxPanel() {
  return panel.value
}

/** The contexts of the family, each with what it comes from. */
const members = computed(() => familyOf(family.value))

/** The name of the context, its family, and the list to choose another one from. */
function Switch() {
  const list = useRef<HTMLDivElement>(null)
  const hide = () => list.current?.hidePopover()
  const kin = members.value
  return (
    <>
      <button type="button" class="plain bar-name" popovertarget="switch" onClick={loadContexts}>
        <bdi>{safe(address.value.name ?? '')}</bdi>
        {kin.length > 1 && <span class="bar-kin" title="Forks and sub-agents">{kin.length}</span>}
        <span aria-hidden="true">▾</span>
      </button>
      <div ref={list} id="switch" class="switch" popover="auto">
        {kin.length > 1 && (
          <ul class="switch-kin" aria-label="Forks and sub-agents">
            {kin.map((member) => (
              <li key={member.row.name} class="family">
                <Rails rails={member.rails} />
                <Link to={{ name: member.row.name }} before={hide}
                  aria-current={member.row.name === name.value ? 'page' : undefined}><bdi>{safe(member.row.name)}</bdi></Link>
                <Bond member={member} />
                {member.row.name !== name.value && member.row.last_cycle >= member.row.first_cycle && (
                  <button type="button" class="plain" title="Compare with its latest call"
                    aria-label={'Compare with the latest call of ' + safe(member.row.name)} onClick={() => {
                      hide()
                      go({ vs: { name: member.row.name, at: member.row.last_cycle }, view: 'changes' })
                    }}>⟷</button>
                )}
              </li>
            ))}
          </ul>
        )}
        {!embedded && (
          <a href={pathOf(address.value.name ?? '', '/export?form=page')} download>Save as a page</a>
        )}
        <Link to={{}} before={hide}>All contexts</Link>
        <ul>
          {contexts.value.value?.map((row) => (
            <li key={row.name}>
              <Link to={{ name: row.name }} before={hide}
                aria-current={row.name === name.value ? 'page' : undefined}><bdi>{safe(row.name)}</bdi></Link>
            </li>
          ))}
        </ul>
        {!embedded && <button type="button" class="plain" onClick={() => void leave()}>Sign out</button>}
      </div>
    </>
  )
}

/** Says where the data of the page are, and whether they are all of the run. */
function InFile({ file }: { file: HTMLElement }) {
  const { redacted } = file.dataset
  return (
    <p class="in-file">
      {redacted ? <b>Redacted: {redacted}, and no recorded bytes.</b> : 'All of this run is in this file.'}{' '}
      <code>pact import</code> reads it.
    </p>
  )
}

/** What the context comes from; it leads there. */
function Origin() {
  const own = members.value.find((m) => m.row.name === name.value)
  if (!own?.bond || own.parent === undefined) return null
  const words = { fork: 'fork of', undone: 'undone line of', agent: 'sub-agent of' }[own.bond]
  const node = own.bond === 'agent' ? own.row.begun_by?.node : undefined
  return (
    <p class="bar-origin">
      {words}{' '}
      <Link to={{ name: own.parent, at: own.cycle ?? null, node: node ?? null }}>
        <bdi>{line(own.parent, 40)}</bdi>{own.cycle !== undefined && ' @c' + own.cycle}
      </Link>
    </p>
  )
}

/** What began at the call that is shown: forks and sub-agents. */
function Begun() {
  const here = members.value.filter((m) => m.parent === name.value && m.cycle !== undefined && m.cycle === at.value)
  if (here.length === 0) return null
  return (
    <span class="never">
      {' '}Here began{' '}
      {here.map((m, i) => (
        <>{i > 0 && ', '}{m.bond === 'agent' ? 'sub-agent ' : 'fork '}
          <Link key={m.row.name} to={{ name: m.row.name }}><bdi>{line(m.row.name, 40)}</bdi></Link></>
      ))}.
    </span>
  )
}

/** Whether the screen follows a running agent. */
function Live() {
  const state = connection.value
  const text = { live: 'live', connecting: 'connecting', lost: 'connection lost', locked: 'locked', over: 'gone', file: 'file' }[state]
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
        <div class="lost" role="alert">
          The server takes this browser’s token no more. This is the last state.
          <SignIn />
        </div>
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
          : context.value.value && <>The working state, which no commit has published{draftText()}.</>}
      </h1>
    )
  }
  if (missing.value) return <Missing />
  const { state, failure } = calls.value
  if (!shown && state === 'failed') {
    return <Problem failure={failure!} again={() => loadContext(address.peek().name!)} />
  }
  return (
    <div class="sentence" aria-live="polite" data-cut={Boolean(shown?.cut ?? shown?.broke)}>
      <h1 id="call-sentence">
        {shown && safe(shown.sentence)}
      </h1>
      <Beside />
      {shown?.cut ? <SeeCut at={address.value.at} cut={shown} /> : shown && <CutBefore cycle={shown.cycle} />}
      <Begun />
    </div>
  )
}

/** Says what the working state has beside the latest call. */
function draftText(): string {
  const column = strata.value.value?.columns.find((c) => c.draft)
  if (!column || !hasDraft.value) return ': no edit changed it since the latest call'
  const fresh = size(column.size - column.shared, unit.value)
  return column.cut === null ? `: it repeats all of call ${lastCycle.value} and adds ${fresh}`
    : `: it repeats ${percent(column.shared, column.size)} of call ${lastCycle.value}; ${fresh} behind that are new`
}

/** The address names a call that is not there. */
function Missing() {
  return (
    <h1 class="sentence" aria-live="assertive">
      There is no call {String(address.value.at)}: the calls are @c{firstCycle.value} to @c{lastCycle.value}.
      <button type="button" onClick={follow}>Latest call</button>
    </h1>
  )
}

/** Says how far the call begins as that of another context does. */
function Beside() {
  const [other, shown] = [guest.value, call.value]
  if (!other || !shown) return null
  const of = <bdi>{line(other.name, 60)}</bdi>
  return (
    <span class="never">
      {' '}{other.parts
        ? <>It shares its first {size(other.shared, unit.value)} ({percent(other.shared, shown.size)}) with {of}.</>
        : <>It begins with all of {of}.</>}
    </span>
  )
}

/** Says where something broke last before a call that repeats all of the one before it. */
function CutBefore({ cycle }: { cycle: number }) {
  const before = (calls.value.value ?? []).filter((c) => c.broke && c.cycle < cycle)
  const last = before.at(-1)
  if (!last) return null
  return (
    <span class="never">
      {' '}Before it the prefix broke {before.length === 1 ? 'once, in' : `${count(before.length)} times, last in`} call{' '}
      {last.cycle}.
      {last.cut && <SeeCut at={last.cycle} cut={last} />}
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
  const text = (embedded ? location.href.split('#')[0]! : location.origin) + linkTo(address.peek())
  navigator.clipboard.writeText(text).then(
    () => say('Address copied'),
    () => say(text),
  )
}
