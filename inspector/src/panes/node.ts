import { ask, type NodeAnswer, pathOf } from '../api'

/** Fetches the whole content of a node: a text as it is, any other content as canonical JSON. */
export async function wholeContent(name: string, node: NodeAnswer, at: string, stop?: AbortSignal): Promise<string> {
  if (node.complete) return node.content ?? ''
  const path = `/nodes/${encodeURIComponent(node.node)}/content?at=${encodeURIComponent(at)}`
  return (await ask(pathOf(name, path), stop ? { signal: stop } : {})).text()
}

/** The headers and attributes of a node that say something, as text. */
export function factsOf(node: NodeAnswer): [string, string][] {
  const list = Object.entries({ nodeType: node.type, ...node.headers, ...node.attributes })
  return list
    .filter(([name, value]) => says(name, value))
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
}

// says reports whether a header is more than what every node has by default.
function says(name: string, value: unknown): boolean {
  if (value === null || value === '' || value === false) return false
  return !((name === 'offset' || name === 'priority') && value === 0)
}
