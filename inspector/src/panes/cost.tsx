import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { api, Failure, type Finding, type Outcome, type Policy, type SimulatedPolicy, type Simulation } from '../api'
import { count, money, percent, plural } from '../format'
import { useLoaded } from '../load'
import { Nothing, Problem, Toggle, Waiting } from '../parts'
import { address, at, callOf, context, embedded, hasCalls, scrub, select } from '../state'
import { line, safe } from '../text'
import { Safe } from './content'

/** The two policies that are drawn: JSON, the name of a ready one, or none for the run as it was. */
const policies = signal(['none', 'none'])
const inMoney = signal(true)
/** How many calls the table has at most: those around the one that is shown. */
const most = 500

interface Drawn {
  run: Simulation
  lines: Outcome[]
}

/** What the calls cost, with and without a policy, and what was paid and may not have been needed. */
export function Cost(): JSX.Element {
  const [name, revision, wanted] = [address.value.name ?? '', context.value.value?.revision, policies.value]
  const shown = hasCalls.value
  const run = useLoaded(shown ? JSON.stringify([name, revision, wanted]) : null, (stop) => simulate(name, wanted, stop))
  const found = useLoaded(shown ? JSON.stringify([name, revision]) : null, (stop) => api.findings(name, stop))
  const spent = found.value?.spent
  if (!shown) return <Nothing>There is no call.</Nothing>
  return (
    <div class="pane-cost" aria-busy={run.state === 'loading' || found.state === 'loading'}>
      {found.failure && found.state === 'failed' && <Problem failure={found.failure} again={found.again} />}
      {!found.value && found.state === 'loading' && <Waiting what="the findings" />}
      {found.value && (
        <>
          {spent!.cost !== undefined && <p>{spent!.evidence === 'computed' && '≈'}{safe(money(spent!.cost, found.value.currency))} paid in{' '}
            {plural(spent!.priced, 'call')}, {safe(money(spent!.lost ?? 0, found.value.currency))} of it because of{' '}
            {plural(spent!.breaks ?? 0, 'break')}</p>}
          {found.value.findings.length === 0 ? <p>No findings.</p> : <Findings list={found.value.findings} currency={found.value.currency} />}
          {found.value.untried && <p class="faint"><Safe text={found.value.untried} /></p>}
        </>
      )}
      {!embedded && <Policies />}
      {run.failure && run.state === 'failed' && <Problem failure={run.failure} again={run.again} />}
      {!run.value && run.state === 'loading' && <Waiting what="the simulation" />}
      {run.value && <Runs {...run.value} />}
    </div>
  )
}

async function simulate(name: string, wanted: string[], stop: AbortSignal): Promise<Drawn> {
  const list = wanted.map(policyOf)
  const run = await api.simulate(name, list.filter((one) => one.name !== 'none'), stop)
  // A policy that cannot be computed has no outcome: the sentences say why.
  return { run, lines: list.map(({ name }) => run.outcomes.find((one) => one.policy === name) ?? run.outcomes[0]!) }
}

function policyOf(text: string, i: number): SimulatedPolicy {
  if (!text.startsWith('{')) return { name: text }
  try {
    return { name: ['the first policy', 'the second policy'][i]!, policy: JSON.parse(text) as Policy }
  } catch (problem) {
    throw new Failure(0, 'E_DOCUMENT_INVALID', String(problem), { remedy: 'write a policy as JSON, or none' })
  }
}

const kinds: Record<Finding['what'], string> = { prefix: 'cache broke', repeated: 'called again', carried: 'carried long',
  unused: 'never called', compaction: 'compaction', window: 'window', policy: 'policy', uncached: 'no caching' }

/** What was paid for without use, the dearest first; the first three say it in a sentence. */
function Findings({ list, currency }: { list: Finding[]; currency?: string | undefined }): JSX.Element {
  return (
    <table class="findings" aria-label="Findings">
      <thead><tr><th>what</th><th>tokens</th><th>paid</th><th>where</th></tr></thead>
      <tbody>
        {[...list].sort((a, b) => (b.cost ?? -1) - (a.cost ?? -1)).map((one, i) => (
          <tr key={one.says}>
            <td><details open={i < 3}><summary>{kinds[one.what]}</summary><Found one={one} currency={currency} /></details></td>
            <td>{one.tokens !== undefined && count(one.tokens)}</td>
            <td>{safe(money(one.cost, currency))}</td>
            <td>{one.cycle && <button type="button" class="link" onClick={() => scrub(one.cycle!)}>@c{one.cycle}</button>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A finding in a sentence, and the rule that would have helped. */
function Found({ one, currency }: { one: Finding; currency?: string | undefined }): JSX.Element {
  const { cycle, node, what } = one
  return (
    <>
      <Safe text={one.says} />{' '}
      {node && what !== 'prefix' && <button type="button" class="link" onClick={() => select(node, cycle)}>{line(node, 40)}</button>}
      {one.helps && (
        <p class="faint">
          A rule would have saved the run {safe(money(one.saves, currency))}: <code>{line(JSON.stringify(one.helps), 400)}</code>{' '}
          {!embedded && <button type="button" onClick={() => (policies.value = ['none', JSON.stringify({ rules: [one.helps] })])}>draw it</button>}
        </p>
      )}
    </>
  )
}

/** Where a person writes the two policies to draw. */
function Policies(): JSX.Element {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget as HTMLFormElement).getAll('policy')
    policies.value = given.map((text) => String(text).trim() || 'none')
  }
  return (
    <form class="policies" key={policies.value.join('\n')} onSubmit={submit}>
      {policies.value.map((text, i) => (
        <label key={i}><i class={'line-' + i} />{['Policy', 'over'][i]}{' '}
          <input name="policy" list="policies" spellcheck={false} defaultValue={text} /></label>
      ))}
      <datalist id="policies"><option value={'{"rules":[{"select":".cb[kind=\'result\'][bytes>4000]","head":2000,"tail":1000}]}'} /></datalist>
      <button type="submit" class="primary">Draw</button>
      <Toggle on={inMoney.value} set={(on) => (inMoney.value = on)}>money</Toggle>
    </form>
  )
}

/** Both runs over each other, in words, and call by call. */
function Runs({ run, lines }: Drawn): JSX.Element {
  const priced = inMoney.value && run.currency !== undefined
  const list = lines[0]!.by_call ?? []
  const here = list.findIndex((one) => one.cycle === at.value)
  const from = Math.max(0, Math.min(here - most / 2, list.length - most))
  const two = lines[1] !== lines[0]
  return (
    <>
      <Lines lines={lines.map((one) => one.by_call!.map((call) => (priced ? call.cost! : call.sent)))} here={here}
        label={priced ? `Cost of each call in ${run.currency}` : 'Tokens of each call'} first={list[0]?.cycle ?? 0} />
      {lines.map((one, i) => (two || i === 0) && (
        <p key={i}><i class={'line-' + i} />{line(one.policy, 60)}: {count(one.sent)} tokens, {count(one.read)} from the cache,{' '}
          {plural(one.breaks ?? 0, 'break')}{one.cost !== undefined && ', ' + safe(money(one.cost, run.currency))}
          {one.regrets?.slice(0, 5).map((missed) => (
            <>; <button type="button" class="link" onClick={() => select(missed.node, missed.cycle)}>@c{missed.cycle}</button> needs{' '}
              {line(missed.of, 40)} {missed.shortened ? 'whole' : 'again'}</>
          ))}</p>
      ))}
      {run.sentences.map((text) => <p key={text} class="faint">{safe(text)}</p>)}
      <table>
        <caption class="faint">Calls; ≈ is by simulation, everything else as the provider counted</caption>
        <thead><tr><th>call</th><th>tokens</th><th>window</th><th>cost</th>{two && <th>with the second</th>}<th>prefix</th></tr></thead>
        <tbody>
          {list.slice(from, from + most).map((one, i) => {
            const told = callOf(one.cycle)?.attempts
            const [sent, window, other] = [told?.in ?? one.sent, told?.window ?? run.window, lines[1]!.by_call![from + i]!]
            return (
              <tr key={one.cycle} aria-current={one.cycle === at.value}>
                <td><button type="button" class="link" onClick={() => scrub(one.cycle)}>@c{one.cycle}</button></td>
                <td>{told?.in === undefined && '≈'}{count(sent)}</td>
                <td>{window ? percent(sent, window) : ''}</td>
                <td>{told?.cost === undefined ? one.cost !== undefined && '≈' + money(one.cost) : money(told.cost)}</td>
                {two && <td>≈{priced ? money(other.cost) : count(other.sent)}</td>}
                <td>{one.broke && 'broke'}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </>
  )
}

/** A line for each run, over each other; a click goes to the call. */
function Lines({ lines, here, label, first }: { lines: number[][]; here: number; label: string; first: number }): JSX.Element {
  const top = lines.flat().reduce((a, b) => Math.max(a, b), 1e-9)
  const wide = Math.max(1, lines[0]!.length - 1)
  const go = (event: MouseEvent): void => {
    const box = (event.currentTarget as Element).getBoundingClientRect()
    scrub(first + Math.round(((event.clientX - box.left) / box.width) * wide))
  }
  return (
    <svg class="lines" viewBox={`0 0 ${wide} 100`} preserveAspectRatio="none" role="img" aria-label={label} onClick={go}>
      {here >= 0 && <path class="here" d={`M${here} 0V100`} />}
      {lines.map((list, i) => (
        <polyline key={i} class={'line-' + i} points={list.map((n, x) => `${x},${99 - (n / top) * 97}`).join(' ')} />
      ))}
    </svg>
  )
}
