// Orders contexts so that forks and sub-agents follow the context that they come from.
import type { ContextRow } from '../api'

/** A context in the list, and the lines that lead to it. */
export interface Member {
  row: ContextRow
  /** What it is to the one that it comes from; null if it comes from none in the list. */
  bond: 'fork' | 'agent' | null
  /** The call of that one at which it begins, if it is known. */
  cycle: number | undefined
  /** For each generation above it, whether a line goes on below this row; the last one is that
   * of its own brothers and sisters. */
  rails: boolean[]
}

/** Returns the contexts as a list in which each follows the one that it comes from. Those that
 * come from the same one are in the order of the calls at which they begin, then by name. */
export function familyOf(rows: ContextRow[]): Member[] {
  const byName = new Map(rows.map((row) => [row.name, row]))
  const children = new Map<string, ContextRow[]>()
  const roots: ContextRow[] = []
  for (const row of rows) {
    const parent = bondOf(row).parent
    // Nobody is its own forebear, whatever an import says.
    if (parent === undefined || !byName.has(parent) || descends(byName, parent, row.name)) roots.push(row)
    else children.set(parent, [...(children.get(parent) ?? []), row])
  }
  const list: Member[] = []
  const add = (row: ContextRow, rails: boolean[], root: boolean) => {
    const { bond, cycle } = bondOf(row)
    list.push({ row, bond: root ? null : bond, cycle: root ? undefined : cycle, rails })
    const own = (children.get(row.name) ?? []).sort((a, b) =>
      (bondOf(a).cycle ?? 0) - (bondOf(b).cycle ?? 0) || (a.name < b.name ? -1 : 1))
    own.forEach((child, i) => add(child, [...rails, i < own.length - 1], false))
  }
  roots.forEach((row) => add(row, [], true))
  return list
}

function bondOf(row: ContextRow): { bond: Member['bond']; parent: string | undefined; cycle: number | undefined } {
  if (row.begun_by) return { bond: 'agent', parent: row.begun_by.context, cycle: row.begun_by.cycle }
  if (row.forked_from) return { bond: 'fork', parent: row.forked_from.name, cycle: row.forked_from.cycle }
  return { bond: null, parent: undefined, cycle: undefined }
}

/** Reports whether a context comes from another, directly or not. */
function descends(byName: Map<string, ContextRow>, name: string, from: string): boolean {
  const seen = new Set<string>()
  for (let at: string | undefined = name; at !== undefined && !seen.has(at);) {
    if (at === from) return true
    seen.add(at)
    const row = byName.get(at)
    at = row && bondOf(row).parent
  }
  return false
}
