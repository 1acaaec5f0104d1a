import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { api, type TreeRow } from '../api'
import { bytes, plural } from '../format'
import { useLoaded } from '../load'
import { Problem, Waiting } from '../parts'
import { address, at, atName, context, matches, select, unit } from '../state'
import { List } from '../virtual'
import { Safe } from './content'
import { visibleRows } from './folding'
import { nodeAt } from './node'
import { Pages, pageSize } from './pages'

/** The regions, turns and nodes of a state: the rows of `pact show`. */
export function Tree(): JSX.Element {
  const [name, state, measured] = [address.value.name ?? '', atName.value, unit.value]
  const revision = at.value === 'working' ? context.value.value?.revision : 0
  const key = JSON.stringify([name, state, measured, revision])
  const loaded = useLoaded(key, async (stop) => {
    const fetch = (after: number, stop?: AbortSignal) => api.tree(name, state, measured, after, pageSize, stop)
    return { key, nodes: await new Pages<TreeRow>(fetch).start(stop) }
  })
  if (loaded.failure && loaded.state === 'failed') return <Problem failure={loaded.failure} again={loaded.again} />
  if (!loaded.value) return <Waiting what="the tree" />
  return (
    <div class="pane-rows" aria-busy={loaded.state === 'loading'}>
      <Nodes key={loaded.value.key} nodes={loaded.value.nodes} name={name} state={state} />
    </div>
  )
}

function Nodes({ nodes, name, state }: { nodes: Pages<TreeRow>; name: string; state: string }): JSX.Element {
  const version = nodes.version.value
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const shown = useMemo(() => visibleRows(nodes.rows(), closed), [nodes, closed, closed.size > 0 && version])
  const chosen = address.value.node
  const here = nodes.indexOf(chosen)
  const [current, setCurrent] = useState(-1)
  const on = here >= 0 ? shown.indexOf(here) : current
  const lit = matches.value
  useEffect(() => void reach(nodes, chosen, name, state), [nodes, chosen])

  const rowAt = (i: number): TreeRow | undefined => nodes.row(shown[i] ?? -1)
  const pick = async (i: number, how: 'push' | 'replace'): Promise<void> => {
    setCurrent(i)
    const place = shown[i] ?? 0
    if (!nodes.row(place)) await nodes.need(place, place)
    const row = nodes.row(place)
    if (row) select(row.id, undefined, how)
  }
  const turn = (i: number, open: boolean): void => {
    const node = rowAt(i)?.id
    if (node === undefined) return
    const changed = new Set(closed)
    if (open) changed.delete(node)
    else changed.add(node)
    setClosed(changed)
  }
  const onKey = (event: KeyboardEvent): boolean => {
    const row = rowAt(on)
    if (!row || event.shiftKey || !event.key.startsWith('Arrow')) return false
    const open = row.children > 0 && !closed.has(row.id)
    if (event.key === 'ArrowRight' && row.children > 0) {
      if (open) void pick(Math.min(on + 1, shown.length - 1), 'replace')
      else turn(on, true)
      return true
    }
    if (event.key !== 'ArrowLeft' || row.depth === 0) return false
    if (open) turn(on, false)
    else void pick(parentOf(on, rowAt), 'replace')
    return true
  }
  return (
    <List
      id="tree"
      label={`Tree of ${atName.value}`}
      role="tree"
      count={shown.length}
      of={shown}
      current={on}
      estimate={() => 24}
      onCurrent={(i, how) => void pick(i, how)}
      onOpen={(i) => turn(i, closed.has(rowAt(i)?.id ?? ''))}
      onKey={onKey}
      onRange={(first, last) => void nodes.need(shown[first] ?? 0, shown[last] ?? 0)}
      rowClass={(i) => (lit?.has(rowAt(i)?.id ?? '') ? 'lit' : '')}
      aria={(i) => {
        const row = rowAt(i)
        const open = row && row.children > 0 ? !closed.has(row.id) : undefined
        return { 'aria-level': (row?.depth ?? 0) + 1, 'aria-expanded': open }
      }}
      row={(i) => {
        const row = rowAt(i)
        if (!row) return <div class="tree-line faint">…</div>
        return <TreeLine row={row} closed={closed.has(row.id)} turn={(open) => turn(i, open)} />
      }}
    />
  )
}

// reach fetches the rows around a node that the address names. Its row stands at least as far down
// as the blocks before it, and not further than those and the nodes above them.
async function reach(nodes: Pages<TreeRow>, node: string | null, name: string, state: string): Promise<void> {
  if (node === null || nodes.indexOf(node) >= 0) return
  const answer = await nodeAt(name, node, state).catch(() => null)
  for (let i = answer?.place ?? Infinity; i < nodes.total && nodes.indexOf(node) < 0; i += pageSize)
    await nodes.need(i, i)
}

function parentOf(i: number, rowAt: (i: number) => TreeRow | undefined): number {
  const depth = rowAt(i)?.depth ?? 0
  let parent = i
  while (parent > 0 && (rowAt(parent)?.depth ?? depth) >= depth) parent--
  return parent
}

interface LineProps {
  row: TreeRow
  closed: boolean
  turn: (open: boolean) => void
}

function TreeLine({ row, closed, turn }: LineProps): JSX.Element {
  return (
    <div class="tree-line" data-class={row.class}>
      <span class="tree-indent" style={{ width: `${row.depth * 14}px` }} />
      <span
        class="tree-turn"
        onClick={(event) => {
          event.stopPropagation()
          turn(closed)
        }}>
        {row.children > 0 ? (closed ? '▸' : '▾') : ''}
      </span>
      {row.class !== 'block' && <span class="tree-class">{className(row)}</span>}
      <span class="tree-id">
        <Safe text={row.id} />
      </span>
      {row.class === 'block' && row.nodeType !== 'block' && (
        <span class="tree-type">
          <Safe text={row.nodeType} />
        </span>
      )}
      {row.offset !== 0 && row.class !== 'container' && <span class="tree-type">offset {signed(row.offset)}</span>}
      {row.role && (
        <span class="tree-role">
          <Safe text={row.role} />
        </span>
      )}
      {row.kind && (
        <span class="tree-type">
          <Safe text={row.kind} />
        </span>
      )}
      {row.key && (
        <span class="tree-key">
          #<Safe text={row.key} />
        </span>
      )}
      {row.ttl !== undefined && <span class="tree-ttl">ttl {row.ttl}</span>}
      {row.class === 'turn' && <span class="tree-type">cycle {row.cycle}</span>}
      {row.class !== 'block' && <span class="tree-type">{plural(row.blocks, 'block')}</span>}
      <span class="tree-first">{row.first && <Safe text={row.first} />}</span>
      <span class="tree-type">{row.tokens === undefined ? bytes(row.bytes) : plural(row.tokens, 'token')}</span>
    </div>
  )
}

// className names a node that is no block, as pact show does.
function className(row: TreeRow): string {
  if (row.class !== 'container') return row.class
  return row.offset === 0 ? 'core' : 'group ' + signed(row.offset)
}

function signed(n: number): string {
  return (n < 0 ? '−' : '+') + Math.abs(n)
}
