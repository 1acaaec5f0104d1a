// The bytes of a request as rows with a ruler. Nothing is formatted: the rows joined are the bytes.

/**
 * Cuts the bytes of JSON into rows of at most `most` bytes of UTF-8. A row begins at each member of the
 * outermost object, at each object in a list down to `depth` levels, and where a row is full, never
 * inside a character. Returns where each row begins. Bytes that are no JSON only make rows of another shape.
 */
export function rawRows(bytes: Uint8Array, most: number, depth: number): Uint32Array {
  const starts = [0]
  let level = 0
  let quoted = false
  let from = 0
  const breakAt = (at: number): void => {
    if (at > from && at < bytes.length) starts.push((from = at))
  }
  for (let i = 0; i < bytes.length; i++) {
    const c = bytes[i] as number
    if (i - from >= most + (closes(c) ? 3 : 0) && (c & 0xc0) !== 0x80) breakAt(i)
    if (quoted) {
      if (c === 0x5c) i++
      else if (c === 0x22) quoted = false
    } else if (c === 0x22) quoted = true
    else if (c === 0x5b || c === 0x7b) level++
    else if (c === 0x5d || c === 0x7d) level--
    else if (c === 0x2c && (level <= 1 || (level <= depth && bytes[i + 1] === 0x7b))) breakAt(i + 1)
    else if (c === 0x0a) breakAt(i + 1)
  }
  return Uint32Array.from(starts)
}

// closes reports whether a byte looks lost at the beginning of a row: , ] }
function closes(c: number): boolean {
  return c === 0x2c || c === 0x5d || c === 0x7d
}

/** Returns at which byte two sequences part: the length of the shorter one if it begins the other. */
export function parting(a: Uint8Array, b: Uint8Array): number {
  const end = Math.min(a.length, b.length)
  for (let i = 0; i < end; i++) if (a[i] !== b[i]) return i
  return end
}

/** Returns the row that holds a byte. */
export function rowAt(starts: Uint32Array, byte: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] as number) <= byte) low = middle
    else high = middle - 1
  }
  return low
}

/** A part of a row: bytes `from` to `to`, and whether they are of the selection and behind the cut. */
export interface Span {
  from: number
  to: number
  selected: boolean
  behind: boolean
}

/** Cuts a row at the cut and at both ends of the selection. */
export function spans(from: number, to: number, cut: number, selection: readonly [number, number] | null): Span[] {
  const [start, end] = selection ?? [-1, -1]
  const edges = [from, ...[cut, start, end].filter((at) => at > from && at < to).sort((a, b) => a - b), to]
  const list: Span[] = []
  for (let i = 0; i + 1 < edges.length; i++) {
    const [a, b] = [edges[i] as number, edges[i + 1] as number]
    if (a < b) list.push({ from: a, to: b, selected: a >= start && b <= end, behind: a >= cut })
  }
  return list
}
