// The address bar and what the screen shows are the same thing: this file turns one into the
// other. It touches neither the page nor the network.

/** A state of a context: the cycle of a call, or what is not committed yet. */
export type At = number | 'working'

/** A state of another context. */
export interface Elsewhere {
  name: string
  at: At
}

/** What a state is compared with. */
export type Vs = At | Elsewhere

export const views = ['thread', 'tree', 'changes', 'request', 'attempts', 'cost', 'block'] as const

/** What stands below the picture; "block" is the page of one block. */
export type View = (typeof views)[number]

/** What the screen shows. */
export interface Address {
  /** Name of the context, null for the list of contexts. */
  name: string | null
  /** The call that is shown, null for the latest one, which the screen then follows. */
  at: At | null
  /** What to compare with, null for the call before. */
  vs: Vs | null
  view: View
  /** Id of the block that is selected. */
  node: string | null
  /** A selector or a text to look for, "" for none. */
  q: string
}

export const nowhere: Address = { name: null, at: null, vs: null, view: 'thread', node: null, q: '' }

/** Reads the path and the query of an address. What means nothing is left out. */
export function parseAddress(path: string, query: string): Address {
  const parameters = new URLSearchParams(query)
  const view = parameters.get('view')
  return {
    name: nameOf(path),
    at: parseAt(parameters.get('at')),
    vs: parseVs(parameters.get('vs')),
    view: views.find((v) => v === view) ?? 'thread',
    node: parameters.get('node') || null,
    q: parameters.get('q') ?? '',
  }
}

/** Writes an address; parseAddress reads the same from it. */
export function formatAddress(a: Address): string {
  if (a.name === null) return '/'
  const parts: string[] = []
  if (a.at !== null) parts.push('at=' + formatAt(a.at))
  if (a.vs !== null) parts.push('vs=' + (isElsewhere(a.vs) ? encodeURIComponent(vsText(a.vs)) : formatAt(a.vs)))
  if (a.view !== 'thread') parts.push('view=' + a.view)
  if (a.node !== null) parts.push('node=' + encodeURIComponent(a.node))
  if (a.q !== '') parts.push('q=' + encodeURIComponent(a.q))
  return '/c/' + encodeURIComponent(a.name) + (parts.length > 0 ? '?' + parts.join('&') : '')
}

/** Returns the name of a state as the API and the command line take it: @c12, or working. */
export function stateName(at: At): string {
  return at === 'working' ? at : '@c' + at
}

/** Reports whether a state is one of another context. */
export function isElsewhere(vs: Vs | null): vs is Elsewhere {
  return typeof vs === 'object' && vs !== null
}

/** Returns the name of what is compared with as the API and people take it: @c12, working or NAME@c12. */
export function vsText(vs: Vs): string {
  return isElsewhere(vs) ? vs.name + '@' + formatAt(vs.at) : stateName(vs)
}

/** Reads what vsText writes, null if it is nothing of the kind. */
export function parseVs(text: string | null): Vs | null {
  const elsewhere = /^(.+)@(c\d{1,15}|working)$/.exec(text ?? '')
  return elsewhere ? { name: elsewhere[1]!, at: parseAt(elsewhere[2]!)! } : parseAt(text)
}

function formatAt(at: At): string {
  return at === 'working' ? at : 'c' + at
}

function parseAt(text: string | null): At | null {
  if (text === 'working') return text
  const cycle = /^@?c(\d{1,15})$/.exec(text ?? '')
  return cycle ? Number(cycle[1]) : null
}

function nameOf(path: string): string | null {
  if (!path.startsWith('/c/') || path.length === 3) return null
  try {
    return decodeURIComponent(path.slice(3))
  } catch {
    return path.slice(3) // it has a % that encodes nothing
  }
}
