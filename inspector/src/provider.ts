// What a provider says of its cache, beside what the calls let expect.
import type { Call, Column } from './api'
import { count } from './format'

/** Reports whether what the provider read of a call contradicts the picture: it read less than it
 * had, so it saw a cut that is not there or one further down, or it read on behind the cut. Where
 * nothing was cut, it can read more because another conversation began the same. */
export function doubted(column: { seen?: Column['seen'] | undefined; cut: Column['cut'] }): boolean {
  return column.seen === 'elsewhere' || (column.seen === 'unseen' && column.cut !== null)
}

/** Says so in a sentence; "" where nothing contradicts the picture. */
export function doubtOf(call: Call): string {
  const { seen, cached, expected } = call.attempts ?? {}
  if (cached === undefined || !doubted({ seen, cut: call.cut?.at ?? null })) return ''
  const read = `The provider read ${cached === 0 ? 'nothing' : count(cached) + ' tokens'} from its cache`
  return expected === undefined ? read + '.' : `${read}; ${count(expected)} were expected.`
}
