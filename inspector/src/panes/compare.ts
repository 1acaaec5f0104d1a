import { isElsewhere, parseVs, stateName } from '../address'
import { api, type BlockRow, type Cause, type ContentDiff, type RichDiff } from '../api'
import { align, type Pair } from './align'
import { Rows } from './rows'

// More rows than these on one side are not compared one by one.
const most = 4000
const shownBefore = 2 // rows before the first difference

/** What is known of a block that differs. */
export interface Difference {
  cause: Cause
  fields: string[]
  content: ContentDiff | undefined
}

/** Two threads beside each other. Rows before `skipped` are the same in both and are not fetched. */
export interface Comparison {
  pairs: Pair[]
  left: BlockRow[]
  right: BlockRow[]
  skipped: number
  /** Rows at the end that are not compared, because there are too many. */
  uncompared: number
  differences: Map<string, Difference>
  from: RichDiff['from']
  to: RichDiff['to']
  counts: { added: number; removed: number; changed: number; moved: number; structure: number }
}

/** Fetches what differs between two states, and the rows of both: all of them, or those around differences. */
export async function compare(name: string, at: string, vs: string, all: boolean, stop: AbortSignal):
  Promise<Comparison> {
  const [report, left, right] = await Promise.all([
    api.richDiff(name, vs, at, stop),
    rowsOf(name, vs).start(stop),
    new Rows(name, { at, vs }).start(stop),
  ])
  const differences = differencesOf(report)
  const firstByte = Math.min(
    ...[...report.components_added, ...report.components_removed, ...report.components_modified].flatMap((c) => [
      c.previous_range?.start ?? Infinity,
      c.new_range?.start ?? Infinity,
    ]),
    report.from.bytes,
    report.to.bytes,
  )
  const same = Math.min(await rowAtByte(left, firstByte), await rowAtByte(right, firstByte))
  const skipped = all ? 0 : Math.max(0, same - shownBefore)
  const [old, now] = await Promise.all([span(left, skipped), span(right, skipped)])
  const replaced = new Map(report.replacements.map((r) => [r.new_id, r.previous_id]))
  const renamed = new Map(report.moves.map((r) => [r.new_id, r.previous_id]))
  const changed = new Set(report.components_modified.filter(visible).map((m) => m.id))
  const pairs = align(
    old.map((r) => r.id),
    now.map((r) => r.id),
    changed,
    replaced,
    renamed,
  )
  const uncompared = Math.max(left.total, right.total) - skipped - most
  return {
    pairs,
    left: old,
    right: now,
    skipped,
    uncompared: Math.max(0, uncompared),
    differences,
    from: report.from,
    to: report.to,
    counts: countsOf(report, pairs, left, right),
  }
}

// rowsOf lists the thread of a state, which may be one of another context.
function rowsOf(name: string, state: string): Rows {
  const other = parseVs(state)
  return isElsewhere(other) ? new Rows(other.name, { at: stateName(other.at) }) : new Rows(name, { at: state })
}

// visible reports whether a change of a node shows in its row: passing time and a new parent do not.
function visible(m: RichDiff['components_modified'][number]): boolean {
  return m.content_diff !== undefined || m.fields.some((f) => !['ttl', 'parent', 'expiry'].includes(f.name))
}

function differencesOf(report: RichDiff): Map<string, Difference> {
  const map = new Map<string, Difference>()
  for (const c of [...report.components_added, ...report.components_removed]) {
    map.set(c.id, { cause: c.cause, fields: [], content: undefined })
  }
  for (const m of report.components_modified) {
    map.set(m.id, { cause: m.cause, fields: m.fields.map((f) => f.name), content: m.content_diff })
  }
  for (const r of report.replacements) map.set(r.new_id, { cause: r.cause, fields: [], content: r.content_diff })
  return map
}

function countsOf(report: RichDiff, pairs: Pair[], left: Rows, right: Rows): Comparison['counts'] {
  const counts = { added: 0, removed: 0, changed: 0, moved: 0, structure: 0 }
  for (const pair of pairs) {
    if (pair.kind === 'moved' && pair.right === undefined) continue // it stands at the other place too
    if (pair.kind !== 'same') counts[pair.kind]++
  }
  counts.structure = [
    ...report.components_added,
    ...report.components_removed,
    ...report.components_modified.filter(visible),
  ].filter((c) => left.indexOf(c.id) < 0 && right.indexOf(c.id) < 0).length
  return counts
}

// rowAtByte returns the row in which a byte of the thread stands.
async function rowAtByte(rows: Rows, byte: number): Promise<number> {
  let [low, high] = [0, rows.total]
  while (low < high) {
    const middle = (low + high) >> 1
    await rows.need(middle, middle)
    const row = rows.row(middle)
    if (!row) return 0
    if (row.start < byte) low = middle + 1
    else high = middle
  }
  return low
}

async function span(rows: Rows, from: number): Promise<BlockRow[]> {
  const to = Math.min(rows.total, from + most)
  if (to > from) await rows.need(from, to - 1)
  const list: BlockRow[] = []
  for (let i = from; i < to; i++) {
    const row = rows.row(i)
    if (row) list.push(row)
  }
  return list
}
