// A content diff inside a row: what the older and the newer side of it show.

/** A run of words as the server compares them: kept, deleted or inserted. */
export interface Hunk {
  op: 'keep' | 'del' | 'ins'
  text: string
}

/** A part of one side: words that both have, words that only this side has, or how much is left out. */
export interface Part {
  kind: 'keep' | 'only' | 'gap'
  text: string
}

/**
 * Returns one side of a content diff. Kept words further than `around` characters from a
 * difference are left out; a gap says how many characters that are.
 */
export function side(hunks: readonly Hunk[], only: 'del' | 'ins', around: number): Part[] {
  const parts: Part[] = []
  hunks.forEach((hunk, i) => {
    if (hunk.op === only) parts.push({ kind: 'only', text: hunk.text })
    else if (hunk.op === 'keep') parts.push(...shortened(hunk.text, i > 0, i < hunks.length - 1, around))
  })
  return parts
}

function shortened(text: string, before: boolean, after: boolean, around: number): Part[] {
  const head = before ? around : 0
  const tail = after ? around : 0
  const least = 40 // a gap says more than it hides below this
  if (text.length <= head + tail + least) return [{ kind: 'keep', text }]
  const start = boundary(text, head)
  const end = boundary(text, text.length - tail)
  const parts: Part[] = []
  if (start > 0) parts.push({ kind: 'keep', text: text.slice(0, start) })
  parts.push({ kind: 'gap', text: String(end - start) })
  if (end < text.length) parts.push({ kind: 'keep', text: text.slice(end) })
  return parts
}

// boundary moves an index out of the middle of a character.
function boundary(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit < 0xe000 && at > 0 ? at - 1 : at
}
