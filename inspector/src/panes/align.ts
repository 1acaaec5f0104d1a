// Two threads side by side: which row of one stands beside which row of the other. Blocks have
// ids, so that this is exact where a diff of text has to guess.

/** A row of the comparison. `left` and `right` are indexes into the two threads. */
export interface Pair {
  kind: 'same' | 'changed' | 'added' | 'removed' | 'moved'
  left?: number
  right?: number
}

/** Rows that stay closed because nothing differs in them: from `from` to before `to`. */
export interface Fold {
  kind: 'fold'
  from: number
  to: number
}

/**
 * Aligns two threads by the ids of their blocks. `changed` has the ids of blocks that both have
 * and that differ; `replaced` leads from the id of a new block to that of the block in whose place
 * it came, and `renamed` to that of the block that has the same content. A block that both have in
 * another order is `moved`, and stands at both places; so is one under another id, at one.
 */
export function align(
  left: readonly string[],
  right: readonly string[],
  changed: ReadonlySet<string>,
  replaced: ReadonlyMap<string, string>,
  renamed: ReadonlyMap<string, string>,
): Pair[] {
  const places = new Map(left.map((id, i) => [id, i]))
  const before = (id: string): string => renamed.get(id) ?? replaced.get(id) ?? ''
  const partner = right.map((id) => places.get(id) ?? places.get(before(id)) ?? -1)
  const kept = increasing(partner)
  const stays = new Set(kept.map((i) => partner[i]))
  const moved = new Set(partner.filter((p) => p >= 0 && !stays.has(p)))
  const rows: Pair[] = []
  let l = 0
  let r = 0
  const gap = (toLeft: number, toRight: number): void => {
    for (; l < toLeft; l++) rows.push({ kind: moved.has(l) ? 'moved' : 'removed', left: l })
    for (; r < toRight; r++) rows.push({ kind: moved.has(partner[r] ?? -1) ? 'moved' : 'added', right: r })
  }
  for (const i of kept) {
    const p = partner[i] as number
    gap(p, i)
    const id = right[i] as string
    const differs = left[p] !== id || changed.has(id)
    const kind = !differs ? 'same' : renamed.get(id) === left[p] ? 'moved' : 'changed'
    rows.push({ kind, left: p, right: i })
    l = p + 1
    r = i + 1
  }
  gap(left.length, right.length)
  return rows
}

// increasing returns the indexes of a longest increasing subsequence of the values that are not
// negative, in O(n log n).
function increasing(values: readonly number[]): number[] {
  const tails: number[] = []
  const before: number[] = []
  values.forEach((value, i) => {
    if (value < 0) return
    let low = 0
    let high = tails.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((values[tails[middle] as number] as number) < value) low = middle + 1
      else high = middle
    }
    before[i] = low > 0 ? (tails[low - 1] as number) : -1
    tails[low] = i
  })
  const list: number[] = []
  for (let i = tails[tails.length - 1] ?? -1; i >= 0; i = before[i] as number) list.push(i)
  return list.reverse()
}

/**
 * Closes the runs of rows in which nothing differs, except `around` rows beside a difference and
 * the rows that `open` has by the index of the first row of the run.
 */
export function fold(rows: readonly Pair[], around: number, open: ReadonlySet<number>): (Pair | Fold)[] {
  const list: (Pair | Fold)[] = []
  for (let i = 0; i < rows.length;) {
    let end = i
    while (end < rows.length && rows[end]?.kind === 'same') end++
    const from = i === 0 ? 0 : i + around
    const to = end === rows.length ? end : end - around
    if (to - from < 2 || open.has(from)) {
      list.push(...rows.slice(i, end))
    } else {
      list.push(...rows.slice(i, from), { kind: 'fold', from, to }, ...rows.slice(to, end))
    }
    i = end
    while (i < rows.length && rows[i]?.kind !== 'same') list.push(rows[i++] as Pair)
  }
  return list
}
