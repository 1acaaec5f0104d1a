/** A row of a tree in document order: a parent before everything below it. */
export interface Deep {
  node: string
  depth: number
}

/** Returns the indexes of the rows that are not below a closed one. */
export function visibleRows(rows: readonly Deep[], closed: ReadonlySet<string>): number[] {
  const list: number[] = []
  let limit = Infinity
  rows.forEach((row, i) => {
    if (row.depth > limit) return
    limit = closed.has(row.node) ? row.depth : Infinity
    list.push(i)
  })
  return list
}

/** Returns how many rows are below one. */
export function below(rows: readonly Deep[], i: number): number {
  const depth = rows[i]?.depth ?? 0
  let end = i + 1
  while (end < rows.length && (rows[end] as Deep).depth > depth) end++
  return end - i - 1
}
