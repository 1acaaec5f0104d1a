import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { api, type ContextRow } from '../api'
import { loadContexts } from '../data'
import { ago, bytes, count, money, plural } from '../format'
import { useLoaded } from '../load'
import { Link, Problem, Waiting } from '../parts'
import { Everywhere } from '../selector/everywhere'
import { contexts, go } from '../state'
import { safe } from '../text'
import { leave, SignInPage } from './door'
import { Drop } from './drop'
import { familyOf, type Member, type Order } from './family'

/** The list of all contexts. */
export function Contexts() {
  const { state, value, failure } = contexts.value
  const [filter, setFilter] = useState('')
  const [order, setOrder] = useState<Order>('name')
  const [text, setText] = useState('')
  const members = useMemo(() => {
    const wanted = filter.toLowerCase()
    return familyOf((value ?? []).filter((row) => row.name.toLowerCase().includes(wanted)), order)
  }, [value, filter, order])
  if (failure?.status === 401 && state === 'failed') return <SignInPage />
  return (
    <main class="contexts">
      <header class="contexts-head">
        <h1>Contexts</h1>
        {value && value.length > 8 && (
          <input type="search" placeholder="Name contains …" aria-label="Names that contain" value={filter}
            onInput={(e) => setFilter(e.currentTarget.value)} />
        )}
        {value && value.length > 0 && (
          <form onSubmit={(e) => {
            e.preventDefault()
            setText((e.currentTarget.elements.namedItem('q') as HTMLInputElement).value.trim())
          }}>
            <input type="search" name="q" placeholder="Text in any call …" aria-label="Search the text of all calls"
              onInput={(e) => e.currentTarget.value === '' && setText('')} />
          </form>
        )}
        <button type="button" class="plain" onClick={() => void leave()}>Sign out</button>
      </header>
      {text !== '' && <section class="everywhere" aria-label="Found in all contexts"><Everywhere q={text} /></section>}
      {failure && state === 'failed' && <Problem failure={failure} again={loadContexts} />}
      {!value && state === 'loading' && <Waiting what="the contexts" />}
      {value?.length === 0 && <Empty />}
      {members.length > 0 && (
        <table>
          <thead>
            <tr>
              {columns.map(([by, title]) => (
                <th key={by} scope="col" class={by}
                  aria-sort={by !== order ? undefined : by === 'name' ? 'ascending' : 'descending'}>
                  <button type="button" class="sort" onClick={() => setOrder(by)}>{title}</button>
                </th>
              ))}
              <th scope="col">Breaks</th>
              <th scope="col">Cost</th>
            </tr>
          </thead>
          <tbody>{members.map((member) => <Row key={member.row.name} member={member} />)}</tbody>
        </table>
      )}
      {value && value.length > 0 && members.length === 0 && <p class="dim">No name contains this.</p>}
    </main>
  )
}

const columns: [Order, string][] = [['name', 'Name'], ['cuts', 'Sent anew after cuts'], ['calls', 'Calls'], ['bytes', 'Size'],
  ['changed', 'Last change']]

function Row({ member }: { member: Member }) {
  const { row, rails } = member
  const own = ownFrom(member)
  return (
    <tr onClick={() => go({ name: row.name })}>
      <th scope="row">
        <span class="family">
          <Rails rails={rails} />
          <span class="kin">
            <Link to={{ name: row.name }}><bdi>{safe(row.name)}</bdi></Link>
            <Bond member={member} />
            {row.aside !== undefined && <span class="bond">{count(row.aside)} aside</span>}
          </span>
        </span>
      </th>
      <td><Sparkline row={row} /></td>
      <td>{count(own > 1 ? row.last_cycle - own + 1 : row.calls ?? row.cycles)}</td>
      <td class="bytes">{row.bytes === undefined ? '' : bytes(row.bytes)}</td>
      <td>{row.changed && <Changed moment={row.changed} />}</td>
      <Spent row={row} since={own} />
    </tr>
  )
}

/** The first cycle that a context does not have from the one above it. */
function ownFrom({ bond, cycle }: Member): number {
  return bond && bond !== 'agent' ? cycle! + 1 : 1
}

/** How often a run broke and what it cost, once its row is in sight. */
function Spent({ row, since }: { row: ContextRow; since: number }) {
  const cell = useRef<HTMLTableCellElement>(null)
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    const sight = new IntersectionObserver((list) => list.some((one) => one.isIntersecting) && setSeen(true))
    sight.observe(cell.current!)
    return () => sight.disconnect()
  }, [])
  const { value, failure } = useLoaded(seen ? `${row.name} ${row.revision} ${since}` : null, (stop) => api.context(row.name, stop, since))
  const sums = value?.sums
  if (!sums) return <><td ref={cell} /><td>{failure && '?'}</td></>
  return (
    <>
      <td ref={cell}>{count(sums.broke)}</td>
      <td title={`${sums.priced} of ${plural(sums.calls, 'call')} by counts and prices`}>
        {sums.priced > 0 ? (sums.priced < sums.calls ? '≥ ' : '') + money(sums.cost, sums.currency) : sums.calls > 0 && 'unknown'}
      </td>
    </>
  )
}

/** What a context is to the one above it in the list. */
export function Bond({ member: { bond, cycle } }: { member: Member }) {
  if (!bond) return null
  return <span class="bond">{bond}{cycle !== undefined && <> {bond === 'undone' ? 'after' : 'at'} @c{cycle}</>}</span>
}

/** The lines that lead from a context to those that come from it. */
export function Rails({ rails }: { rails: boolean[] }) {
  return <>{rails.map((on, i) => <i key={i} class={i === rails.length - 1 ? 'branch' : 'rail'} data-on={on} />)}</>
}

/** When a context changed last. Logs that say no time are imported as of 1970. */
function Changed({ moment }: { moment: string }) {
  if (moment.startsWith('1970-')) return <span title="The imported log says no time">–</span>
  return <time dateTime={moment} title={moment}>{ago(moment, Date.now())}</time>
}

/** The calls as columns; what a call sent anew because its prefix was cut is red. */
function Sparkline({ row }: { row: ContextRow }) {
  const shares = row.cuts
  if (!shares || shares.length === 0) return null
  const broke = shares.filter((share) => share > 0).length
  const wide = 3
  return (
    <svg class="sparkline" role="img" width={shares.length * wide} height={18} viewBox={`0 0 ${shares.length * wide} 18`} preserveAspectRatio="none"
      aria-label={plural(broke, 'thread') + ' cut'}>
      {shares.map((share, i) => (
        <g key={i}>
          <rect class="kept" x={i * wide} width={wide - 0.5} y={18 * share} height={18 * (1 - share)} />
          <rect class="lost-part" x={i * wide} width={wide - 0.5} y={0} height={18 * share} />
        </g>
      ))}
    </svg>
  )
}

const starts = [
  ['pact open examples/conversations/weather.json', 'shows an example'],
  ['pact import conversation.json', 'takes in a conversation'],
  ['pact run -- COMMAND', 'records what a program asks a provider'],
] as const

/** What to do where there is no context yet. */
function Empty() {
  return (
    <section class="empty">
      <p>No contexts yet. One of these commands makes the first:</p>
      <dl>
        {starts.map(([command, does]) => (
          <div key={command}><dt><code>{command}</code></dt><dd>{does}</dd></div>
        ))}
      </dl>
      <p class="dim">If this server was started with <code>--db</code>, give them the same.</p>
      <Drop />
    </section>
  )
}
