// The page of a run answers its own requests, from the data that stands in it. This script comes before the others
// there, and only there: internal/runfile writes what it reads, and the answers are those of a server.
import type { BlockPage, BlockRow, CallList, Strata, TreeRow } from './api'

interface State {
  at: string
  rows: number
}

interface Run {
  states: State[]
  rows: { block: BlockRow; object: number[]; node: string; cycle: number }[]
  texts: Record<string, number>
  lists: number[][]
  pieces: string[]
}

/** A row and where it stands, with the pieces of its object in the canonical thread. */
interface Placed extends BlockRow {
  index: number
  object: number[]
}

const holder = document.getElementById('run') as HTMLScriptElement
const loaded = unpack(holder.text)
globalThis.fetch = async (input, init) => {
  const known = init?.body === undefined || init.body === '{"policies":[],"calls":true}' // the run itself, under no policy
  return answer(await loaded, new URL(known ? String(input) : '/v1/contexts/run/nothing', 'http://run/'))
}

async function unpack(text: string): Promise<Run> {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0))
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).json() as Promise<Run>
}

/** Returns the indexes of a list: [a, n] are n from a on; [-1 - k, n] before these are the first n of list k. */
function expand(run: Run, list: number): number[] {
  const chain: [number[], number][] = []
  for (let most = Infinity; ; ) {
    const runs = run.lists[list]!
    chain.push([runs, most])
    if (!(runs[0]! < 0)) break
    most = Math.min(most, runs[1]!)
    list = -1 - runs[0]!
  }
  const all: number[] = []
  for (const [runs, most] of chain.reverse()) each(runs[0]! < 0 ? runs.slice(2) : runs, (i) => all.length < most && all.push(i))
  return all
}

/** Calls a function with the indexes of runs. */
function each(runs: number[], f: (index: number) => void): void {
  for (let i = 0; i < runs.length; i += 2) for (let k = 0; k < runs[i + 1]!; k++) f(runs[i]! + k)
}

function textOf(run: Run, name: string): string | undefined {
  const list = Object.hasOwn(run.texts, name) ? run.texts[name] : undefined
  return list === undefined ? undefined : expand(run, list).map((i) => run.pieces[i]).join('')
}

/** Returns the canonical thread of a state: the objects of its blocks. */
function threadOf(run: Run, state: State): string {
  const objects = placed(run, state).map(({ object }) => {
    let text = ''
    each(object, (i) => (text += run.pieces[i]))
    return text
  })
  return `[${objects.join()}]`
}

function answer(run: Run, url: URL): Response {
  const [, , group = '', name, what = name === undefined ? group : 'context', id, part] = url.pathname.split('/').map(decodeURIComponent)
  const found = of(run, what, id ?? '', part, url.searchParams)
  if (found !== undefined) return new Response(typeof found === 'string' ? found : JSON.stringify(found))
  return new Response(JSON.stringify({ status: 404, code: 'E_FILE', detail: 'The file of a run has no answer to this.',
    remedy: 'pact import reads the file; pact serve then answers everything.' }), { status: 404 })
}

function of(run: Run, what: string, id: string, part: string | undefined, q: URLSearchParams): unknown {
  const at = q.get('at') ?? ''
  const state = run.states.find((s) => s.at === at)
  switch (what) {
    case 'blocks':
      return state && blocks(run, state, q)
    case 'nodes':
      if (part === 'life') return textOf(run, 'life ' + id)
      return state && node(run, state, id, part === 'content')
    case 'select': {
      // As the pane of a block asks: a word as it is or in quotes, and without an address the working state.
      const asked = /^(?:(@\S+) )?\[id=(?:'(.*)'|([^'\]]+))\]$/.exec(q.get('q') ?? '')
      const there = asked && run.states.find((s) => s.at === (asked[1] ?? 'working'))
      if (!there) return undefined
      const wanted = asked[3] ?? asked[2]!.replace(/\\(.)/g, '$1')
      return { ids: placed(run, there).some((row) => row.id === wanted) ? [wanted] : [] }
    }
    case 'tree':
      return state && page(JSON.parse([0, 1, 2].map((i) => textOf(run, `tree ${at} ${i}`)).join('')) as TreeRow[], q)
    case 'diff': {
      const to = run.states.findIndex((s) => s.at === q.get('to'))
      return run.states[to - 1]?.at === q.get('from') ? textOf(run, 'diff ' + q.get('to')) : undefined
    }
    case 'thread':
      if (q.get('as') === 'canonical') return state && threadOf(run, state)
      return textOf(run, ['thread', at, [q.get('as'), q.get('attempt')].filter(Boolean).join(':')].join(' '))
    case 'attempts':
      return textOf(run, 'attempts ' + q.get('from')) ?? { items: [] }
    case 'calls':
    case 'strata': {
      const text = textOf(run, what + ' ' + q.get('unit'))
      return text && (what === 'calls' ? calls(JSON.parse(text) as CallList, q) : strata(JSON.parse(text) as Strata, q))
    }
    default:
      return textOf(run, what)
  }
}

/** Returns the rows of a state with their places. A comma stands between two blocks of a thread. */
function placed(run: Run, state: State): Placed[] {
  const first = cycleOf(run.states[0]!.at)
  const last = state.at === 'working' ? cycleOf(run.states.at(-2)?.at ?? '') : cycleOf(state.at)
  let start = 1
  return expand(run, state.rows).map((index, place) => {
    const { block, object } = run.rows[index]!
    const row = { ...block, place, start, new: false, calls: Math.max(0, last - Math.max(first, block.cycle) + 1), index, object }
    start += block.bytes + 1
    return row
  })
}

function cycleOf(at: string): number {
  return Number(at.slice(2)) || 0
}

function blocks(run: Run, state: State, q: URLSearchParams): BlockPage | undefined {
  const all = placed(run, state)
  const tokens = q.get('unit') === 'tokens'
  const here = run.states.indexOf(state)
  const before = run.states[here - 1]?.at
  const vs = q.get('vs') ?? before
  const other = run.states.find((s) => s.at === vs)
  if (vs !== undefined && !other) return undefined
  const old = other ? placed(run, other) : []
  let same = other ? all.findIndex((row, i) => String(row.object) !== String(old[i]?.object)) : 0
  if (same < 0) same = all.length
  let cut: BlockPage['cut']
  if (same < old.length) {
    const cause = vs === before && state.at !== 'working' ? callOf(run, state)?.cut?.cause : undefined
    cut = { start: end(all[same - 1]) + (same === all.length ? 1 : 0), height: 0, node: (all[same] ?? old[same])!.id, ...(cause && { cause }) }
  }
  const height = (row: BlockRow) => (tokens ? (row.tokens ?? 0) : row.bytes + 1)
  const kinds = (q.get('kind') ?? '').split(',').filter(Boolean)
  const list = all.filter((row) => (kinds.length === 0 || kinds.includes(row.shown_kind)) && (!q.get('failed') || row.failed) &&
    (!q.get('new') || row.place >= same))
  const by = { bytes: (r: BlockRow) => r.bytes, carried: (r: BlockRow) => r.bytes * Math.max(1, r.calls) }[q.get('order') ?? '']
  if (by) list.sort((a, b) => by(b) - by(a))
  const sums = new Map<string, BlockPage['sums'][number]>()
  for (const row of all) {
    const sum = sums.get(row.shown_kind) ?? { kind: row.shown_kind, blocks: 0, bytes: 0, ...(tokens && { tokens: 0 }) }
    sums.set(row.shown_kind, { ...sum, blocks: sum.blocks + 1, bytes: sum.bytes + row.bytes,
      ...(tokens && { tokens: (sum.tokens ?? 0) + (row.tokens ?? 0) }) })
  }
  const order = (JSON.parse(textOf(run, 'strata bytes') ?? '{"kinds":[]}') as Strata).kinds
  const rows = list.map(({ index: _, object: __, ...row }) => {
    if (!tokens) delete row.tokens
    return { ...row, new: other !== undefined && row.place >= same }
  })
  return {
    ...page(rows, q),
    sums: [...sums.values()].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind)),
    ...(cut && { cut: { ...cut, height: all.slice(0, same).reduce((n, row) => n + height(row), 0) } }),
  }
}

function callOf(run: Run, state: State): CallList['items'][number] | undefined {
  return (JSON.parse(textOf(run, 'calls bytes')!) as CallList).items.find((call) => call.cycle === cycleOf(state.at))
}

/** Returns the byte behind a block, or behind the bracket before all of them. Behind the last there is a bracket too. */
function end(block: BlockRow | undefined): number {
  return block ? block.start + block.bytes : 1
}

function page<Row>(rows: Row[], q: URLSearchParams): { items: Row[]; total: number; next?: number } {
  const after = Number(q.get('after') ?? 0)
  const to = after + Number(q.get('limit') ?? 200)
  return { items: rows.slice(after, to), total: rows.length, ...(to < rows.length && { next: to }) }
}

/** Returns what is known of a block: its place in this state, and how long it has to live from there. */
function node(run: Run, state: State, id: string, content: boolean): unknown {
  const all = placed(run, state)
  const row = all.find((r) => r.id === id)
  if (!row) return undefined
  const { node, cycle } = run.rows[row.index]!
  if (content) return textOf(run, 'content ' + node)
  const known = JSON.parse(textOf(run, node)!)
  const now = state.at === 'working' ? cycleOf(run.states.at(-2)?.at ?? '') + 1 : cycleOf(state.at)
  const ttl = known.ttl === null ? null : known.ttl - (now - cycle)
  return { ...known, ttl, start: row.start, end: row.start + row.bytes, place: row.place }
}

/** Returns the calls that are asked for, all of them without a span. */
function within(q: URLSearchParams): (cycle: number) => boolean {
  const [from, to] = [cycleOf(q.get('from') ?? ''), cycleOf(q.get('to') ?? '') || Infinity]
  return (cycle) => cycle >= from && cycle <= to
}

function calls(all: CallList, q: URLSearchParams): CallList {
  return { ...all, items: all.items.filter((call) => within(q)(call.cycle)) }
}

function strata(all: Strata, q: URLSearchParams): Strata {
  const wanted = within(q)
  const last = wanted(all.to)
  const columns: Strata['columns'] = []
  let bands: Strata['columns'][number]['bands'] = []
  for (const column of all.columns) {
    bands = [...bands.slice(0, column.keep), ...column.bands]
    if (!(column.draft ? last : wanted(column.cycle))) continue
    columns.push(columns.length > 0 ? column : { ...column, keep: 0, bands })
  }
  const [from, to] = [columns[0]?.cycle ?? all.from, columns.filter((c) => !c.draft).at(-1)?.cycle ?? all.to]
  return { ...all, from, to, max: Math.max(...columns.map((c) => c.size), 0), columns }
}
