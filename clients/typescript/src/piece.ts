import { createHash } from 'node:crypto'
import type { Edit, NewNode } from './schema.js'

/** A part of what a framework sends, cut so that its text is the content of a block: rules can then shorten it, and
 * searches find it. `item` is the rest, and `at` says where in it the content belongs: one path, or one for each
 * member of the content. */
export interface Piece {
  kind: string
  role: string
  content: unknown
  item: unknown
  at: Path | Record<string, Path>
  /** The id that links a call and its result, the name of the tool, and whether the call failed. */
  call?: string
  name?: string
  failed?: boolean
}

type Path = (string | number)[]

/** A block of a context, where it stands. */
export interface Found {
  id: string
  system: boolean
  parent: string
  offset: number
  head: boolean
  role: string
  kind: string
  content: unknown
  /** Absent if no framework sent it, but an edit or a policy made it. */
  attr?: { item: unknown; at: Piece['at'] }
  call?: string
  /** The ids that it refers to. */
  refs: string[]
  /** Of an instruction or a tool: how the framework names it. */
  standing?: string
  /** Of a stub: the ids that it stands for. */
  pruned: string[]
}

interface DocumentNode {
  id: string
  nodeType: string
  offset: number
  role?: string
  kind?: string
  content?: unknown
  children?: DocumentNode[]
  [attribute: string]: unknown
}

/** The blocks of a canonical document, in the order of the thread. */
export function blocksOf(document: { root: DocumentNode }): Found[] {
  const list: Found[] = []
  const walk = (node: DocumentNode, parent: string, region: string) => {
    if (node.children) {
      for (const child of node.children) walk(child, node.id, node === document.root ? child.nodeType : region)
      return
    }
    list.push({ id: node.id, system: region === '^sys', parent, offset: node.offset, head: region === '^ah',
      role: node.role ?? 'user', kind: node.kind ?? 'text', content: node.content,
      pruned: (node['pact:pruned'] ?? []) as string[], refs: (node.refs ?? []) as string[],
      ...(node.data_item !== undefined && { attr: node.data_item as NonNullable<Found['attr']> }),
      ...(typeof node.data_standing === 'string' && { standing: node.data_standing }),
      ...(typeof node['wire:call'] === 'string' && { call: node['wire:call'] }) })
  }
  walk(document.root, '', '')
  return list
}

/** What the framework sent, with the content that the block has now; undefined if no framework sent it. */
export function restore(b: Pick<Found, 'attr' | 'content'>): unknown {
  if (!b.attr) return undefined
  const { item, at } = fromJSON(b.attr) as NonNullable<Found['attr']>
  const content = fromJSON(b.content)
  if (Array.isArray(at)) return put(item, at, content)
  return Object.entries(at).reduce((whole, [name, path]) => put(whole, path, (content as never)[name]), item)
}

function put(whole: unknown, [first, ...rest]: Path, content: unknown): unknown {
  if (first === undefined) return content
  const copy = (Array.isArray(whole) ? [...whole] : { ...whole as object }) as Record<string | number, unknown>
  copy[first] = put(copy[first], rest, content)
  return copy
}

/** The node for a piece. */
export function nodeOf(p: Piece, id: string, offset: number, refs: string[]): NewNode {
  return { id, offset, role: p.role, kind: p.kind, content: toJSON(p.content), ...(refs.length > 0 && { refs }),
    attrs: { data_item: toJSON({ item: p.item, at: p.at }), ...(p.call && { 'wire:call': p.call }),
      ...(p.name && { 'wire:name': p.name }), ...(p.failed && { 'wire:failed': true }) } }
}

/** What makes two pieces the same: not ids of items and cache markers, which frameworks change. */
export function keyOf(p: Pick<Piece, 'kind' | 'role' | 'content' | 'call'>): string {
  const text = JSON.stringify([p.kind, p.role, toJSON(p.content), p.call ?? ''])
  return `${p.kind}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}

/** A value as JSON: members in order, bytes in base64. */
export function toJSON(value: unknown): unknown {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') }
  if (value instanceof URL || value instanceof Date) return value.toJSON()
  if (Array.isArray(value)) return value.map((v) => v === undefined ? null : toJSON(v))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)
    .sort(([a], [b]) => a < b ? -1 : 1).map(([name, v]) => [name, toJSON(v)]))
}

/** The value again. */
export function fromJSON(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromJSON)
  if (value === null || typeof value !== 'object') return value
  if ('$bytes' in value) return new Uint8Array(Buffer.from(value.$bytes as string, 'base64'))
  return Object.fromEntries(Object.entries(value).map(([name, v]) => [name, fromJSON(v)]))
}

/** An edit that adds a node. */
export function adding(into: string, node: NewNode): Edit {
  return { op: 'add', into, node }
}
