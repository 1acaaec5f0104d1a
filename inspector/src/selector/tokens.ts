// The selector language as the box colours and completes it. The server decides what a selector
// means and whether it is one; this only says what each character looks like.

export type Kind =
  | 'address'
  | 'control'
  | 'region'
  | 'type'
  | 'key'
  | 'tag'
  | 'pseudo'
  | 'name'
  | 'value'
  | 'text'
  | 'operator'
  | 'bracket'
  | 'hop'
  | 'space'
  | 'other'

/** A token: all tokens joined are the selector. */
export interface Token {
  kind: Kind
  text: string
  from: number
}

// In the order in which they are tried. A word behind a dot may have colons, but not before a
// pseudo-class.
const pseudo = '(?:pre|core|post|depth|first|last|nth)(?![\\w-])'
const name = `[\\w-]+(?::(?!${pseudo})[\\w-]+)*`
const quoted = `'(?:\\\\.|[^'\\\\])*'?|"(?:\\\\.|[^"\\\\])*"?`
const outside: [Kind, RegExp][] = [
  ['space', /\s+/y],
  ['control', /@(?!history(?![\w-])|[tc](?![A-Za-z_]))[A-Za-z_]+(?:=[\w:,-]*)?/y],
  ['address', /@(?:history|\*|[tc]-?(?:\d+|\*)?)?(?:(?:\.\.|:)(?:@?[tc])?-?(?:\d+|\*)?)?/y],
  ['region', /\^[\w-]*/y],
  ['type', new RegExp(`\\.(?:${name})?`, 'y')],
  ['key', new RegExp(`#(?:${quoted}|${name})?`, 'y')],
  ['tag', new RegExp(`\\+(?:${quoted}|[A-Za-z_][\\w-]*)`, 'y')],
  ['pseudo', new RegExp(`:(?:${pseudo})?`, 'y')],
  ['text', new RegExp(quoted, 'y')],
  ['operator', /\?\??|>|,|\*/y],
  ['bracket', /[[\](){}]/y],
  ['hop', /(?:within|depth|seg|cont|block|mt|mc|cb|end)(?![\w-])|d-?\d+|[+-]?\d+/y],
  ['other', /[\w-]+|[^]/uy],
]
const inside: [Kind, RegExp][] = [
  ['space', /\s+/y],
  ['text', new RegExp(quoted, 'y')],
  ['operator', /!=|<=|>=|[=<>~,]/y],
  ['bracket', /[[\](){}]/y],
  ['name', /[A-Za-z_][\w-]*/y],
  ['value', /[+-]?\d+(?:\.\d+)?/y],
  ['other', /[^]/uy],
]

/** Cuts a selector into tokens, whatever it is. The cost is one pass. */
export function tokens(text: string): Token[] {
  const list: Token[] = []
  const open: string[] = []
  let from = 0
  while (from < text.length) {
    const attributes = open.length > 0 && open[open.length - 1] !== 'hops'
    const token = next(text, from, attributes ? inside : outside)
    const before = list[list.length - 1]
    if (token.kind === 'name' && before?.kind === 'operator' && before.text !== ',') token.kind = 'value'
    if (token.kind === 'name' && inList(list)) token.kind = 'value'
    if (token.kind === 'bracket') turn(open, token, before)
    list.push(token)
    from += token.text.length
  }
  return list
}

function next(text: string, from: number, table: readonly [Kind, RegExp][]): Token {
  for (const [kind, pattern] of table) {
    pattern.lastIndex = from
    const found = pattern.exec(text)
    if (found && found[0] !== '') return { kind, text: found[0], from }
  }
  return { kind: 'other', text: text.slice(from, from + 1), from }
}

// turn keeps the open brackets: a parenthesis right behind a type has attributes, any other one
// hops or depths.
function turn(open: string[], token: Token, before: Token | undefined): void {
  if (token.text === '(') open.push(before?.kind === 'type' ? '(' : 'hops')
  else if ('[{'.includes(token.text)) open.push(token.text)
  else open.pop()
}

// inList reports whether the next word is a value of a list: [kind=[call,note]].
function inList(list: readonly Token[]): boolean {
  for (let i = list.length - 1; i > 0; i--) {
    const token = list[i] as Token
    if (token.kind === 'bracket')
      return token.text === '[' && list[i - 1]?.kind === 'operator' && list[i - 1]?.text === '='
  }
  return false
}

/** Reports whether a text is a selector and not words to search for. */
export function isSelector(text: string): boolean {
  return /^[\^.#[@]/.test(text)
}

/** Reports whether a selector asks a range of snapshots, whose answer is a table of changes. */
export function isRange(text: string): boolean {
  return /^@(?:history(?![\w-])|[tc]-?[\d*]+(?:\.\.|:))/.test(text) && !/@mode=(?:union|latest)(?![\w-])/.test(text)
}

/** Returns the selector that asks the state at an address, which is the selected call unless the text names one. */
export function addressed(text: string, at: string): string {
  return text.startsWith('@') || at === 'working' ? text : at + ' ' + text
}

/** A stretch of the mirror: a part of a token, and whether it is what the server refused. */
export interface Stretch {
  kind: Kind
  text: string
  wrong: boolean
}

/** Returns the tokens of a selector, cut at both ends of what is wrong with it. */
export function mirrored(text: string, wrong: readonly [number, number] | null): Stretch[] {
  const list: Stretch[] = []
  const [start, end] = wrong ?? [-1, -1]
  for (const token of tokens(text)) {
    const last = token.from + token.text.length
    const edges = [token.from, ...[start, end].filter((at) => at > token.from && at < last), last]
    for (let i = 0; i + 1 < edges.length; i++) {
      const [from, to] = [edges[i] as number, edges[i + 1] as number]
      list.push({ kind: token.kind, text: text.slice(from, to), wrong: from >= start && to <= end })
    }
  }
  return list
}
