import { api, ask, type NodeAnswer, nodePathOf, queryOf } from '../api'
import { quote } from '../selector/complete'
import { addressed } from '../selector/tokens'

/**
 * Asks for a node as it is in a state; null if it is not there. A selector tells, because browsers count an
 * answer 404 as an error of the page, and whoever scrubs with a block selected passes calls without it.
 */
export async function nodeAt(name: string, id: string, at: string, stop?: AbortSignal): Promise<NodeAnswer | null> {
  const there = await api.select(name, addressed(`[id=${quote(id)}]`, at), { limit: 1 }, stop)
  return there.ids.length === 0 ? null : api.node(name, id, at, stop)
}

/** Fetches the whole content of a node: a text as it is, any other content as canonical JSON. */
export async function wholeContent(name: string, node: NodeAnswer, at: string, stop?: AbortSignal): Promise<string> {
  if (node.complete) return node.text ?? ''
  const path = nodePathOf(name, node.id, '/content' + queryOf({ at }))
  return (await ask(path, { signal: stop ?? null })).text()
}

const headers = `nodeType kind role key offset priority ttl cad tags pinned removable created_at_iso creation_index
  provenance mime encoding content_hash`.split(/\s+/) as (keyof NodeAnswer)[]

/** The headers and attributes of a node that say something, as text. */
export function factsOf(node: NodeAnswer): [string, string][] {
  return [...headers.map((name) => [name, node[name]] as const), ...Object.entries(node.attrs ?? {})]
    .filter(([name, value]) => says(name, value))
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
}

// says reports whether a header is more than what every node has by default.
function says(name: string, value: unknown): boolean {
  return value ? true : value === 0 && name !== 'offset' && name !== 'priority'
}
