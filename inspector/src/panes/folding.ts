/** A row of a tree in document order: a parent before everything below it. */
export interface Deep {
  id: string
  depth: number
}

/**
 * Returns the indexes of the rows that are not below a closed one. Rows that have not come count as
 * open, so that they come into sight and are fetched.
 */
export function visibleRows(rows: readonly (Deep | undefined)[], closed: ReadonlySet<string>): number[] {
  const list: number[] = []
  let limit = Infinity
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]
    if (row && row.depth > limit) continue
    if (row) limit = closed.has(row.id) ? row.depth : Infinity
    list.push(i)
  }
  return list
}
