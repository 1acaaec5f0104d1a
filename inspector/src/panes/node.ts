import type { NodeAnswer } from '../api'

/** Returns the content of a node as a text, and whether it is JSON and not a text. */
export function contentOf(node: NodeAnswer): { text: string; json: boolean } {
  if (node.content !== undefined) return { text: node.content, json: false }
  return { text: node.json === undefined ? '' : JSON.stringify(node.json), json: node.json !== undefined }
}
