import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { api, type TreeRow } from '../api'
import { count } from '../format'
import { useLoaded } from '../load'
import { Problem, Waiting } from '../parts'
import { address, atName, matches, select } from '../state'
import { List } from '../virtual'
import { Safe } from './content'
import { below, visibleRows } from './folding'

/** The regions, turns and nodes of a state: the rows of `pact show`. */
export function Tree(): JSX.Element {
  const [name, state] = [address.value.name ?? '', atName.value]
  const key = JSON.stringify([name, state])
  const loaded = useLoaded(key, async (stop) => ({ key, page: await api.tree(name, state, '', undefined, stop) }))
  if (loaded.failure) return <Problem failure={loaded.failure} again={loaded.again} />
  if (!loaded.value) return <Waiting what="the tree" />
  const { page } = loaded.value
  const more = (after: string | number) => api.tree(name, state, '', after)
  return (
    <div class="pane-rows" aria-busy={loaded.state === 'loading'}>
      <Nodes key={loaded.value.key} first={page.items} next={page.next} more={more} />
    </div>
  )
}

interface Props {
  first: TreeRow[]
  next: string | number | undefined
  more: (after: string | number) => Promise<{ items: TreeRow[]; next?: string | number }>
}

function Nodes({ first, next: start, more }: Props): JSX.Element {
  const [rows, setRows] = useState(first)
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const next = useRef(start)
  const busy = useRef(false)
  const shown = useMemo(() => visibleRows(rows, closed), [rows, closed])
  const chosen = address.value.node
  const here = shown.findIndex((i) => rows[i]?.node === chosen)
  const [current, setCurrent] = useState(-1)
  const at = here >= 0 ? here : current
  const lit = matches.value

  const fetchMore = async (last: number): Promise<void> => {
    if (busy.current || next.current === undefined || last < shown.length - 50) return
    busy.current = true
    const page = await more(next.current).catch(() => null)
    busy.current = false
    if (!page) return
    next.current = page.next
    setRows((all) => [...all, ...page.items])
  }
  useEffect(() => {
    // A block that the address names may be further down than the rows that have come.
    if (chosen !== null && next.current !== undefined && !rows.some((r) => r.node === chosen)) void fetchMore(Infinity)
  }, [chosen, rows])
  const rowAt = (i: number): TreeRow => rows[shown[i] as number] as TreeRow
  const pick = (i: number): void => {
    setCurrent(i)
    select(rowAt(i).node)
  }
  const turn = (i: number, open: boolean): void => {
    const changed = new Set(closed)
    if (open) changed.delete(rowAt(i).node)
    else changed.add(rowAt(i).node)
    setClosed(changed)
  }
  const onKey = (event: KeyboardEvent): boolean => {
    if (at < 0 || event.shiftKey || !event.key.startsWith('Arrow')) return false
    const row = rowAt(at)
    const open = row.children > 0 && !closed.has(row.node)
    if (event.key === 'ArrowRight' && row.children > 0) {
      if (open) pick(Math.min(at + 1, shown.length - 1))
      else turn(at, true)
      return true
    }
    if (event.key !== 'ArrowLeft' || row.depth === 0) return false
    if (open) turn(at, false)
    else pick(parentOf(at, rowAt))
    return true
  }
  return (
    <List
      id="tree"
      label={`Tree of ${atName.value}`}
      role="tree"
      count={shown.length}
      of={rows}
      current={at}
      estimate={() => 24}
      onCurrent={pick}
      onOpen={(i) => turn(i, closed.has(rowAt(i).node))}
      onKey={onKey}
      onRange={(_, last) => void fetchMore(last)}
      rowClass={(i) => (lit?.has(rowAt(i).node) ? 'lit' : '')}
      aria={(i) => {
        const row = rowAt(i)
        return { 'aria-level': row.depth + 1, 'aria-expanded': row.children > 0 ? !closed.has(row.node) : undefined }
      }}
      row={(i) => (
        <TreeLine
          row={rowAt(i)}
          closed={closed.has(rowAt(i).node)}
          hidden={below(rows, shown[i] as number)}
          turn={(open) => turn(i, open)}
        />
      )}
    />
  )
}

function parentOf(i: number, rowAt: (i: number) => TreeRow): number {
  const depth = rowAt(i).depth
  let parent = i
  while (parent > 0 && rowAt(parent).depth >= depth) parent--
  return parent
}

interface LineProps {
  row: TreeRow
  closed: boolean
  hidden: number
  turn: (open: boolean) => void
}

function TreeLine({ row, closed, hidden, turn }: LineProps): JSX.Element {
  return (
    <div class="tree-line" data-region={row.region} data-top={row.depth <= 1}>
      <span class="tree-indent" style={{ width: `${row.depth * 16}px` }} />
      <span
        class="tree-turn"
        onClick={(event) => {
          event.stopPropagation()
          turn(closed)
        }}>
        {row.children > 0 ? (closed ? '▸' : '▾') : ''}
      </span>
      <span class="tree-id">
        <Safe text={row.node} />
      </span>
      <span class="tree-type">
        <Safe text={row.type} />
      </span>
      {row.offset !== undefined && row.offset !== 0 && <span class="tree-offset">{signed(row.offset)}</span>}
      {row.role && (
        <span class="tree-role">
          <Safe text={row.role} />
        </span>
      )}
      {row.ttl_left !== undefined && row.ttl_left !== null && <span class="tree-ttl">ttl {row.ttl_left}</span>}
      {closed && hidden > 0 && <span class="faint">{count(hidden)} below</span>}
      <span class="tree-first">{row.first && <Safe text={row.first} />}</span>
      {row.tokens !== undefined && <span class="tree-tokens">{count(row.tokens)}</span>}
    </div>
  )
}

function signed(n: number): string {
  return (n < 0 ? '−' : '+') + Math.abs(n)
}
