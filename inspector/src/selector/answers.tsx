import type { JSX } from 'preact'
import { api, type RangeDiff } from '../api'
import { count } from '../format'
import { useLoaded } from '../load'
import { address, atName, go, select } from '../state'
import { safe } from '../text'
import type { useSearch } from './search'
import { addressed, isSelector } from './tokens'

interface Props {
  search: ReturnType<typeof useSearch>
  settled: boolean
  /** Whether the text is still being completed: that it ends too early is then no news. */
  completing: boolean
  plan: boolean
  close: () => void
  take: (selector: string) => void
}

/** What stands below the box: what is wrong, what to try instead, a table of changes, the plan. */
export function Answers({ search, settled, completing, plan, close, take }: Props): JSX.Element {
  const { failure, found, q } = search
  return (
    <>
      <div id="selector-says" class="selector-says">
        {settled && failure && !completing && (
          <p class="selector-wrong">
            {safe(failure.message)}
            {failure.details.remedy && <span class="faint"> — {safe(failure.details.remedy)}</span>}
          </p>
        )}
        {settled && found && found.ids.length === 0 && found.kind !== 'range' && (
          <NoMatch search={search} take={take} />
        )}
      </div>
      {settled && found?.range && <Changes range={found.range} />}
      {plan && isSelector(q) && settled && !failure && <Plan q={q} close={close} />}
    </>
  )
}

function NoMatch({ search, take }: { search: Props['search']; take: Props['take'] }): JSX.Element {
  const { found, q } = search
  return (
    <p class="selector-none">
      {found?.kind === 'text' ? 'No block of this call has this text.' : 'Nothing matches.'}{' '}
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
        <span class="faint">{found.kind === 'text' ? 'Nor has one of another call.' : 'Nor does anything one step wider.'}</span>
      )}
    </p>
  )
}

const shown = 6 // ids of one cell

/** How the selected nodes changed from call to call, the newest step first. */
function Changes({ range }: { range: RangeDiff }): JSX.Element {
  return (
    <div class="range" tabIndex={0} role="region" aria-label="Changes from call to call">
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
  const loaded = useLoaded(JSON.stringify([name, q, state]), (stop) => api.explain(name, addressed(q, state), stop))
  const plan = loaded.state === 'failed' ? undefined : loaded.value
  return (
    <div class="range" tabIndex={0} role="region" aria-label="Plan of the selector">
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
            {count(plan.visited)} of {count(plan.nodes)} nodes in {count(plan.snapshots)} snapshot
            {plan.snapshots === 1 ? '' : 's'} looked at, {count(plan.skipped)} ruled out, {count(plan.returned)}{' '}
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
