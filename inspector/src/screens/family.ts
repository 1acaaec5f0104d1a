// Orders contexts so that forks, undone lines and sub-agents follow the context that they belong to.
import type { ContextRow } from '../api'

/** A context in the list, and the lines that lead to it. */
export interface Member {
  row: ContextRow
  /** What it is to the one that it comes from; null if it comes from none in the list. */
  bond: 'fork' | 'undone' | 'agent' | null
  /** Name of the one that it comes from. */
  parent: string | undefined
  /** The call of that one at which it begins, if it is known. */
  cycle: number | undefined
  /** For each generation above it, whether a line goes on below this row; the last one is that
   * of its own brothers and sisters. */
  rails: boolean[]
}

/** What the list is ordered by. Each but the name puts the most first. */
export type Order = 'name' | 'cuts' | 'calls' | 'bytes' | 'changed'

/** Returns what a context is ordered by. */
const weights: Record<Exclude<Order, 'name'>, (row: ContextRow) => number> = {
  cuts: (row) => (row.cuts ?? []).reduce((sum, share) => sum + share, 0),
  calls: (row) => row.calls ?? row.cycles,
  bytes: (row) => row.bytes ?? 0,
  changed: (row) => Date.parse(row.changed ?? '') || 0,
}

/** Returns the contexts as a list in which each follows the one that it comes from. Families are in the
 * given order, each at the place of the first of its members. Without another order those that come from
 * the same one are in the order of the calls at which they begin, then by name. */
export function familyOf(rows: ContextRow[], order: Order = 'name'): Member[] {
  const byName = new Map(rows.map((row) => [row.name, row]))
  const bonds = bondsOf(rows, byName)
  const children = new Map<string, ContextRow[]>()
  const roots: ContextRow[] = []
  for (const row of rows) {
    const parent = bonds.get(row.name)?.parent
    // Nobody is its own forebear, whatever an import says.
    if (parent === undefined || !byName.has(parent) || descends(bonds, parent, row.name)) roots.push(row)
    else children.set(parent, [...(children.get(parent) ?? []), row])
  }
  const list: Member[] = []
  const heaviest = new Map<ContextRow, number>()
  const weigh = (row: ContextRow): number => {
    if (order === 'name') return 0
    const known = heaviest.get(row)
    if (known !== undefined) return known
    const weight = Math.max(weights[order](row), ...(children.get(row.name) ?? []).map(weigh))
    heaviest.set(row, weight)
    return weight
  }
  const add = (row: ContextRow, rails: boolean[], root: boolean) => {
    const bond = root ? undefined : bonds.get(row.name)
    list.push({ row, bond: bond?.kind ?? null, parent: bond?.parent, cycle: bond?.cycle, rails })
    const own = (children.get(row.name) ?? []).sort((a, b) => weigh(b) - weigh(a) ||
      (bonds.get(a.name)?.cycle ?? 0) - (bonds.get(b.name)?.cycle ?? 0) || (a.name < b.name ? -1 : 1))
    own.forEach((child, i) => add(child, [...rails, i < own.length - 1], false))
  }
  roots.sort((a, b) => weigh(b) - weigh(a) || inOrder(a.name, b.name)).forEach((row) => add(row, [], true))
  return list
}

/** Puts run-2 before run-10, but takes no digits of hexadecimal names for numbers. */
function inOrder(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [l, r] = [left[i]!, right[i]!]
    if (l === r) continue
    const [m, n] = [/^\d+$/.test(l), /^\d+$/.test(r)]
    if (m && n && Number(l) !== Number(r)) return Number(l) - Number(r)
    if (m !== n) return m ? -1 : 1
    return l < r ? -1 : 1
  }
  return left.length - right.length
}

/** Cuts a name where numbers begin and end; a hexadecimal word of six characters or more stays whole. */
function partsOf(name: string): string[] {
  return (name.match(/[A-Za-z0-9]+|[^A-Za-z0-9]+/g) ?? []).flatMap((word) =>
    /^(?=.*\d)(?=.*[a-f])[\da-f]{6,}$/i.test(word) ? [word] : (word.match(/\d+|\D+/g) ?? []))
}

interface Bond {
  kind: 'fork' | 'undone' | 'agent'
  parent: string
  cycle: number | undefined
}

/** Returns for each context that comes from another what it is to it. After an undo the store has
 * the context as a fork of its undone line, NAME~cN; people look for that line below NAME. */
function bondsOf(rows: ContextRow[], byName: Map<string, ContextRow>): Map<string, Bond> {
  const bonds = new Map<string, Bond>()
  for (const row of rows) {
    const line = undoneLine(row, byName)
    if (line) bonds.set(line.name, { kind: 'undone', parent: row.name, cycle: row.forked_from!.cycle })
  }
  for (const row of rows) {
    // A fork of which everything was undone begins where its undone line began, and not in it.
    const name = /^(.+?)~c\d/.exec(row.name)?.[1]
    const [from, of] = [row.forked_from, byName.get(name ?? '')?.forked_from]
    if (bonds.has(row.name) || !from || from.name !== of?.name || from.cycle !== of.cycle) continue
    bonds.set(row.name, { kind: 'undone', parent: name!, cycle: from.cycle })
  }
  for (const row of rows) {
    if (bonds.has(row.name)) continue
    // What its first line came from, it came from.
    let first = row
    const seen = new Set([row])
    for (let line = undoneLine(row, byName); line && !seen.has(line); line = undoneLine(line, byName)) {
      seen.add(line)
      first = line
    }
    const bond = bondOf(first)
    if (bond) bonds.set(row.name, bond)
  }
  for (const bond of bonds.values()) {
    // What began before the undo began in the context as much as in its undone line.
    const line = bonds.get(bond.parent)
    if (bond.kind === 'fork' && line?.kind === 'undone' && bond.cycle! <= (line.cycle ?? 0)) bond.parent = line.parent
  }
  return bonds
}

/** Returns the line of a context that its latest undo put aside, undefined if there is none. */
function undoneLine(row: ContextRow, byName: Map<string, ContextRow>): ContextRow | undefined {
  const from = row.forked_from?.name
  if (!from?.startsWith(row.name.replace(/~c\d.*$/, '') + '~c')) return undefined
  return byName.get(from)
}

function bondOf(row: ContextRow): Bond | undefined {
  if (row.forked_from) return { kind: 'fork', parent: row.forked_from.name, cycle: row.forked_from.cycle }
  if (row.begun_by) return { kind: 'agent', parent: row.begun_by.context, cycle: row.begun_by.cycle }
  return undefined
}

/** Reports whether a context comes from another, directly or not. */
function descends(bonds: Map<string, Bond>, name: string, from: string): boolean {
  const seen = new Set<string>()
  for (let at: string | undefined = name; at !== undefined && !seen.has(at); at = bonds.get(at)?.parent) {
    if (at === from) return true
    seen.add(at)
  }
  return false
}
