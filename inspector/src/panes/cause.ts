import type { Cause } from '../api'
import { safe } from '../text'

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

/**
 * Says in a few words what made a node differ, by which rule or by whom, safe to look at. Causes follow the order of
 * time: what the earlier of two states lacks came later, also where a person compares backwards.
 */
export function causeText(cause: Cause, happened: 'added' | 'removed' | 'changed' | 'moved',
  backwards: boolean): string {
  if (cause.kind === 'context') return '' // no log leads from one context to the other
  let prefix = ''
  if (backwards && happened === 'added') [prefix, happened] = ['still there, ', 'removed']
  else if (backwards && happened === 'removed') [prefix, happened] = ['not there yet, ', 'added']
  return prefix + told(cause, happened) + ' in @c' + cause.cycle + said(cause)
}

/** Says the same where the cycle is said already; '' where nothing is left to say. */
export function whyText(cause: Cause | undefined, obvious: string): string {
  if (!cause) return ''
  const text = told(cause, 'changed')
  const rest = text.startsWith(obvious) ? text.slice(obvious.length).trim() : text
  return rest === '' ? said(cause).slice(2) : rest + said(cause)
}

function told(cause: Cause, happened: string): string {
  if (cause.rule?.startsWith('rule ')) return safe('left by ' + cause.rule) // of a policy
  const what = cause.kind === 'edit' && happened !== 'changed' ? happened : (words[cause.kind] ?? cause.kind)
  const by = cause.actor ? ' by ' + cause.actor : ''
  const rule = cause.rule === 'named' ? ' by name' : cause.rule ? ` (${cause.rule})` : ''
  return safe(what + rule + by)
}

function said(cause: Cause): string {
  return cause.message && cause.kind === 'edit' ? ': ' + safe(cause.message) : ''
}
