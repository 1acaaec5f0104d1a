import type { Cause } from '../api'

const words: Record<string, string> = {
  expiry: 'expired',
  pruning: 'pruned',
  cascade: 'left empty',
  edit: 'edited',
  seal: 'sealed',
  ttl: 'time passed',
  erasure: 'erased',
  selection: 'found no more',
  insertion: 'inserted before',
  reordering: 'reordered',
}

/** Says in a few words what made a node differ, by which rule or by whom. */
export function causeText(cause: Cause, happened: 'added' | 'removed' | 'changed' | 'moved'): string {
  const what = cause.kind === 'edit' && happened !== 'changed' ? happened : (words[cause.kind] ?? cause.kind)
  const by = cause.actor ? ' by ' + cause.actor : ''
  const rule = cause.rule ? ` (${cause.rule})` : ''
  const message = cause.message && cause.kind === 'edit' ? ': ' + cause.message : ''
  return `${what}${rule}${by} in @c${cause.cycle}${message}`
}
