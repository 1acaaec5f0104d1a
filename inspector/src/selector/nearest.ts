import { type Names, quote } from './complete'
import { type Token, tokens } from './tokens'

/** Another selector to try where one finds nothing, and what is different about it. */
export interface Suggestion {
  selector: string
  why: string
}

/** Returns the spellings next to the words of a selector that do not occur, nearest first. */
export function respelled(text: string, names: Names): Suggestion[] {
  const list: [number, Suggestion][] = []
  let attribute = ''
  for (const token of tokens(text)) {
    if (token.kind === 'name') attribute = token.text
    const word = wordOf(token)
    const known = wordsFor(token, attribute, names)
    if (word === '' || known.length === 0 || known.includes(word)) continue
    const near = nearest(word, known)
    if (near === null) continue
    const lead = '.#+'.includes(token.text[0] as string) ? (token.text[0] as string) : ''
    const selector = text.slice(0, token.from) + lead + quote(near.word) + text.slice(token.from + token.text.length)
    list.push([near.distance, { selector, why: `${lead}${word} does not occur here; ${lead}${near.word} does` }])
  }
  return list.sort((a, b) => a[0] - b[0]).map((entry) => entry[1])
}

function wordOf(token: Token): string {
  const text = '.#+'.includes(token.text[0] as string) ? token.text.slice(1) : token.text
  return /^['"]/.test(text) ? text.slice(1, -1).replace(/\\(['"\\])/g, '$1') : text
}

function wordsFor(token: Token, attribute: string, names: Names): readonly string[] {
  switch (token.kind) {
    case 'type':
      return [...names.types, 'block', 'cont', 'seg', 'cb', 'mc', 'mt']
    case 'key':
      return names.keys
    case 'tag':
      return names.tags
    case 'value':
    case 'text':
      break
    default:
      return []
  }
  const own: Record<string, readonly string[]> = {
    role: names.roles,
    tool: names.tools,
    key: names.keys,
    tag: names.tags,
  }
  return own[attribute] ?? names.values[attribute] ?? []
}

/** Returns the known word that is fewest edits away: at most two, and fewer than half of the word. */
export function nearest(word: string, known: readonly string[]): { word: string; distance: number } | null {
  let best: { word: string; distance: number } | null = null
  const most = Math.min(2, Math.ceil(word.length / 2) - 1)
  for (const other of known) {
    if (Math.abs(other.length - word.length) > 2) continue
    const distance = edits(word, other)
    if (distance <= most && distance > 0 && (best === null || distance < best.distance))
      best = { word: other, distance }
  }
  return best
}

// edits counts insertions, removals, replacements and swaps of neighbours.
function edits(a: string, b: string): number {
  let older: number[] = []
  let old = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let n = Math.min((old[j] as number) + 1, (row[j - 1] as number) + 1, (old[j - 1] as number) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        n = Math.min(n, (older[j - 2] as number) + 1)
      row.push(n)
    }
    older = old
    old = row
  }
  return old[b.length] as number
}

/** Returns selectors that ask one step less, the smallest step first. */
export function wider(text: string): Suggestion[] {
  const list: Suggestion[] = []
  const parts = partsOf(text)
  for (let i = parts.length - 1; i >= 0; i--) {
    const part = parts[i] as { from: number; to: number }
    const selector = (text.slice(0, part.from) + text.slice(part.to))
      .replace(/\s+/g, ' ')
      .replace(/^ ?>? ?| >? ?$/g, '')
    const rest = selector.replace(/^@\S+\s*/, '')
    if (rest !== '' && /^[\^.#[@*(?+]/.test(rest))
      list.push({ selector, why: 'without ' + text.slice(part.from, part.to).trim() })
  }
  if (!text.startsWith('@')) list.push({ selector: '@* ' + text, why: 'in all calls' })
  return list
}

// partsOf returns what can be left out: brackets with attributes, tags, pseudo-classes, and the
// names of a step.
function partsOf(text: string): { from: number; to: number }[] {
  const list: { from: number; to: number }[] = []
  const open: number[] = []
  for (const token of tokens(text)) {
    const to = token.from + token.text.length
    if (token.kind === 'bracket' && '[{('.includes(token.text)) open.push(token.from)
    else if (token.kind === 'bracket') {
      const from = open.pop()
      const last = list[list.length - 1]
      if (from === undefined || open.length > 0) continue
      if (last && text[from] === '(' && last.to === from) last.to = to
      else list.push({ from, to })
    } else if (open.length === 0 && ['region', 'type', 'key', 'tag', 'pseudo'].includes(token.kind)) {
      list.push({ from: token.from, to })
    }
  }
  return list
}
