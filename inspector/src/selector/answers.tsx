import type { JSX } from 'preact'
import { api, type RangeDiff } from '../api'
import { count, plural } from '../format'
import { useLoaded } from '../load'
import { address, atName, firstCycle, go, hasCalls, lastCycle, select } from '../state'
import { safe } from '../text'
import { InAllCalls } from './everywhere'
import type { useSearch } from './search'
import { addressed, isSelector } from './tokens'

interface Props {
  search: ReturnType<typeof useSearch>
  settled: boolean
  /** Whether the text is still being completed: that it ends too early is then no news. */
  completing: boolean
  take: (selector: string) => void
}

/** What stands below the box itself: what is wrong, what to try instead, which call Enter goes to. */
export function Says({ search, settled, completing, take, text }: Props & { text: string }): JSX.Element {
  const { failure, found } = search
  const cycle = callIn(text)
  return (
    <div id="selector-says" class="selector-says">
      {cycle !== null ? (
        <p>
          {cycle >= firstCycle.value && cycle <= lastCycle.value
            ? <><kbd>Enter</kbd> goes to call {cycle}.</>
            : <span class="selector-wrong">There is no call {cycle}: the calls are @c{firstCycle.value} to @c{lastCycle.value}.</span>}
        </p>
      ) : settled && failure && !completing ? (
        <p class="selector-wrong">
          {safe(failure.message)}
          {failure.details.remedy && <span class="faint"> — {safe(failure.details.remedy)}</span>}
        </p>
      ) : settled && found?.kind === 'selector' && found.ids.length === 0 ? (
        <NoMatch search={search} take={take} />
      ) : null}
    </div>
  )
}

/** Returns the call that a text names alone: 20, c20 or @c20; null if it is something else. */
export function callIn(text: string): number | null {
  const found = /^\s*@?c?(\d{1,15})\s*$/.exec(text)
  return found && hasCalls.value ? Number(found[1]) : null
}

/** What stands below the sentence: what the words found, a table of changes, the plan. */
export function Panel({ search, settled, plan, closePlan, close }: {
  search: Props['search']; settled: boolean; plan: boolean; closePlan: () => void; close: () => void
}): JSX.Element | null {
  const { failure, found, q } = search
  if (!settled || failure) return null
  if (plan && isSelector(q)) return <Plan q={q} close={closePlan} />
  if (found?.range) return <Changes range={found.range} close={close} />
  return found?.kind === 'text' ? <InAllCalls q={q.trim()} here={found.ids.length} close={close} /> : null
}

function NoMatch({ search, take }: { search: Props['search']; take: Props['take'] }): JSX.Element {
  const { found, q } = search
  return (
    <p class="selector-none">
      Nothing matches.{' '}
      {found?.suggestions.map((s) => (
        <span key={s.selector}>
          Try{' '}
          <button type="button" class="link" onClick={() => take(s.selector)}>
            <code>{safe(s.selector)}</code>
          </button>{' '}
          <span class="faint">{safe(s.why)}</span>
        </span>
      ))}
      {found?.suggestions.length === 0 && q !== '' && (
        <span class="faint">Nor does anything one step wider.</span>
      )}
    </p>
  )
}

const shown = 6 // ids of one cell

/** How the selected nodes changed from call to call, the newest step first. */
function Changes({ range, close }: { range: RangeDiff; close: () => void }): JSX.Element {
  return (
    <div class="box-panel range" tabIndex={0} role="region" aria-label="Changes from call to call">
      <button type="button" class="plain range-close" aria-label="Close" onClick={close}>×</button>
      {[...(range.warnings ?? []), ...(range.errors ?? []).map((e) => e.message)].map((w) => (
        <p key={w} class="faint">
          {safe(w)}
        </p>
      ))}
      <table>
        <thead>
          <tr>
            <th>step</th>
            <th>added</th>
            <th>removed</th>
            <th>changed</th>
          </tr>
        </thead>
        <tbody>
          {range.diffs.map((step) => (
            <tr key={step.from.cycle}>
              <td>
                <button
                  type="button"
                  class="link"
                  title="Compare these two calls"
                  onClick={() => go({ at: step.from.cycle, vs: step.to.cycle, view: 'changes' })}>
                  @c{step.to.cycle} → @c{step.from.cycle}
                </button>
              </td>
              <Cell mark="+" ids={step.added_ids} all={step.stats.added} cycle={step.from.cycle} />
              <Cell mark="−" ids={step.removed_ids} all={step.stats.removed} cycle={step.to.cycle} />
              <Cell mark="~" ids={step.changed.map((c) => c.id)} all={step.stats.changed} cycle={step.from.cycle} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cell({ mark, ids, all, cycle }: { mark: string; ids: string[]; all: number; cycle: number }): JSX.Element {
  if (all === 0) return <td class="faint">–</td>
  return (
    <td>
      <b>
        {mark}
        {count(all)}
      </b>{' '}
      {ids.slice(0, shown).map((id) => (
        <button type="button" key={id} class="link" onClick={() => select(id, cycle)}>
          {safe(id)}
        </button>
      ))}
      {all > shown && <span class="faint">and {count(all - shown)} more</span>}
    </td>
  )
}

/** How the selector is evaluated: for each step how nodes are reached and what is ruled out. */
function Plan({ q, close }: { q: string; close: () => void }): JSX.Element {
  const [name, state] = [address.value.name ?? '', atName.value]
  const loaded = useLoaded(JSON.stringify([name, q, state]), async (stop) =>
    (await api.select(name, addressed(q, state), { explain: true }, stop)).explanation!)
  const plan = loaded.state === 'failed' ? undefined : loaded.value
  return (
    <div class="box-panel range" tabIndex={0} role="region" aria-label="Plan of the selector">
      {plan && (
        <table>
          <thead>
            <tr>
              <th>step</th>
              <th>reached by</th>
              <th>ruled out by</th>
            </tr>
          </thead>
          <tbody>
            {plan.groups.flatMap((group, g) =>
              group.steps.map((step, i) => (
                <tr key={`${g}-${i}`}>
                  <td>
                    <code>{safe(step.text)}</code>
                  </td>
                  <td>{safe(step.reach)}</td>
                  <td>{safe(step.skips?.join(', ') ?? '')}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      )}
      <p>
        {plan && (
          <>
            {count(plan.visited)} of {count(plan.nodes)} nodes in {plural(plan.snapshots, 'snapshot')} looked at, {count(plan.skipped)} ruled out, {count(plan.returned)}{' '}
            returned. Order: {safe(plan.order)}.
          </>
        )}{' '}
        <button type="button" onClick={close}>
          close
        </button>
      </p>
    </div>
  )
}
