import type { NamesAnswer } from '../api'
import { type Token, tokens } from './tokens'

/** What occurs in a state: the words that a selector can have. */
export interface Names {
  types: string[]
  attributes: string[]
  values: Record<string, string[]>
  keys: string[]
  tags: string[]
  tools: string[]
  roles: string[]
}

/** Returns the words of a state as the server lists them. */
export function namesOf(answer: NamesAnswer): Names {
  return {
    types: answer.types ?? [],
    keys: answer.keys ?? [],
    tags: answer.tags ?? [],
    tools: answer.tools ?? [],
    roles: answer.roles ?? [],
    attributes: answer.attributes.map((a) => a.name),
    values: Object.fromEntries(answer.attributes.map((a) => [a.name, a.values ?? []])),
  }
}

/** One completion: `insert` replaces the text from `from` to `to`. */
export interface Offer {
  from: number
  to: number
  insert: string
  label: string
  what: string
}

const classes = ['block', 'cont', 'seg']
const regions = ['sys', 'seq', 'ah', 'root']
const pseudos = ['pre', 'core', 'post', 'first', 'last', 'nth(1)', 'depth(1)']
const controls = ['limit=10', 'first', 'unique', 'order=turn:asc,pre', 'mode=union', 'p=2']
const addresses = ['t0', 't-1', 't-5..@t0', '*', 'history']
const operators = ['=', '!=', '~', '<', '<=', '>', '>=']
const facets: Record<string, string> = {
  role: 'who speaks',
  kind: 'text, call, result, …',
  key: 'the key of a family',
  tag: 'a tag',
  tool: 'name of the tool',
  failed: 'of a failed call',
  bytes: 'of the content',
  tokens: 'of the content',
  ttl: 'commits it has left',
  offset: 'place in its turn',
  priority: 'for pruning',
  cycle: 'that made it',
  content: 'its text',
  id: 'its id',
  nodeType: 'its type',
  pinned: 'is kept',
  mime: 'of the content',
  refs: 'what it refers to',
  ephemeral: 'ttl=0',
  sticky: 'no ttl',
  age: 'in calls',
  depth: 'turn from the newest',
  born_turn: 'the cycle that made it',
}
const most = 50

/** Offers what can stand at the caret: words that occur first, those that begin with what is typed. */
export function complete(text: string, caret: number, names: Names): Offer[] {
  const all = tokens(text)
  const here = all.find((t) => t.from < caret && caret <= t.from + t.text.length)
  if (!here) return caret === 0 ? [] : offers(text, caret, caret, '', [])
  const typed = text.slice(here.from, caret)
  const end = here.from + here.text.length
  const before = all.slice(0, all.indexOf(here))
  const add = (skip: number, words: readonly string[], what: string): Offer[] =>
    offers(typed.slice(skip), here.from + skip, end, what, words)
  switch (here.kind) {
    case 'region':
      return add(1, regions, 'region')
    case 'type':
      return [
        ...add(1, [...classes, ...names.types.filter((t) => !classes.includes(t))], 'type'),
        ...(typed.includes(':') ? add(typed.lastIndexOf(':') + 1, pseudos, 'pseudo-class') : []),
      ]
    case 'key':
      return add(1, names.keys.map(quote), 'key')
    case 'tag':
      return add(1, names.tags.map(quote), 'tag')
    case 'pseudo':
      return add(1, pseudos, 'pseudo-class')
    case 'control':
    case 'address':
      return here.from === 0 ? add(1, addresses, 'address') : add(1, controls, 'control')
    case 'bracket':
      return isOpen(here) ? attributes('', end, end, names, before) : []
    case 'name':
      return attributes(typed, here.from, end, names, before)
    case 'operator':
      return afterOperator(here, caret, names, before)
    case 'value':
    case 'text':
      return values(typed, here.from, end, names, before)
    default:
      return []
  }
}

function isOpen(token: Token): boolean {
  return token.text === '[' || token.text === '{' || token.text === '('
}

function attributes(typed: string, from: number, to: number, names: Names, before: Token[]): Offer[] {
  const last = before[before.length - 1]
  if (typed === '' && last?.kind === 'operator' && last.text === '=') return values('', from, from, names, before)
  const known = [...names.attributes, ...Object.keys(facets).filter((f) => !names.attributes.includes(f))]
  return offers(typed, from, to, 'attribute', known).map((o) => ({ ...o, what: facets[o.label] ?? 'attribute' }))
}

// Behind a comma comes a name, behind an operator a value, behind half an operator its whole.
function afterOperator(here: Token, caret: number, names: Names, before: Token[]): Offer[] {
  const end = here.from + here.text.length
  if (here.text === ',') return attributes('', end, end, names, before)
  const attribute = before.findLast((t) => t.kind === 'name')
  if (!attribute) return []
  if (caret < end) return offers(here.text, here.from, end, 'comparison', operators)
  return values('', end, end, names, [...before, here])
}

function values(typed: string, from: number, to: number, names: Names, before: Token[]): Offer[] {
  const attribute = before.findLast((t) => t.kind === 'name')?.text ?? ''
  const list = valuesOf(attribute, names)
  const bare = typed.replace(/^['"]/, '')
  return offers(bare, from, to, attribute, list).map((o) => ({ ...o, insert: quote(o.label) }))
}

function valuesOf(attribute: string, names: Names): readonly string[] {
  switch (attribute) {
    case 'role':
      return names.roles
    case 'tool':
      return names.tools
    case 'key':
      return names.keys
    case 'tag':
    case 'tags':
      return names.tags
    case 'type':
    case 'nodeType':
      return names.types
    default:
      return names.values[attribute] ?? []
  }
}

/** Writes a word as the language needs it: in quotes unless it is a plain word. */
export function quote(word: string): string {
  return /^[A-Za-z_][\w-]*(?::[\w-]+)*$/.test(word) ? word : "'" + word.replace(/['\\]/g, '\\$&') + "'"
}

function offers(typed: string, from: number, to: number, what: string, words: readonly string[]): Offer[] {
  const small = typed.toLowerCase()
  const begin = words.filter((w) => w.toLowerCase().startsWith(small))
  const have = words.filter(
    (w) => !w.toLowerCase().startsWith(small) && small !== '' && w.toLowerCase().includes(small),
  )
  const list = [...begin, ...have].slice(0, most)
  return list.length === 1 && list[0] === typed
    ? []
    : list.map((word) => ({ from, to, insert: word, label: word, what }))
}
