import { effect, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { size } from '../format'
import { calls, unit, zoom } from '../state'
import { safe } from '../text'

/** How many calls the table has at most; a larger context has those around the zoom. */
const most = 2000

/** How long the table waits for more calls, in milliseconds: drawing its rows anew would hold up the picture. */
const rest = 300

/** The picture in words, for those who do not see it: the sentence of each call. */
export function CallTable() {
  const rested = useSignal(calls.peek().value ?? [])
  useEffect(() => effect(() => {
    const now = calls.value.value ?? []
    const timer = setTimeout(() => void (rested.value = now), rested.peek().length > 0 && now.length > 0 ? rest : 0)
    return () => clearTimeout(timer)
  }), [])
  const list = rested.value
  const first = Math.max(0, Math.min((zoom.value?.[0] ?? Infinity) - (list[0]?.cycle ?? 0), list.length - most))
  return (
    <div class="unseen"><table>
      <caption>All calls</caption>
      <thead><tr><th scope="col">Call</th><th scope="col">Size</th><th scope="col">What it repeats</th></tr></thead>
      <tbody>
        {list.slice(first, first + most).map((call) => (
          <tr key={call.cycle}>
            <th scope="row">@c{call.cycle}</th><td>{size(call.size, unit.value)}</td><td>{safe(call.sentence)}</td>
          </tr>
        ))}
      </tbody>
    </table></div>
  )
}
