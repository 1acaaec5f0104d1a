import { useLayoutEffect, useRef } from 'preact/hooks'
import { bytes, percent, size } from '../format'
import { callOf, strata, unit } from '../state'
import { line } from '../text'
import { kindName } from './legend'
import { hover } from './pointer'

/** Names the band below the pointer. */
export function Tip({ width }: { width: number }) {
  const tip = useRef<HTMLDivElement>(null)
  const over = hover.value
  useLayoutEffect(() => {
    if (!over || !tip.current) return
    const room = tip.current.offsetWidth + 14
    const left = over.x + room > width ? over.x - room : over.x + 14
    tip.current.style.setProperty('transform', `translate(${Math.max(0, left)}px, ${Math.max(0, over.y - 20)}px)`)
  })
  const data = strata.value.value
  if (!over || !data) return null
  const [high, kind, blocks, id, born, actor, largest] = over.box.band
  const column = over.column
  const whole = callOf(over.cycle)?.size ?? column.size
  return (
    <div ref={tip} class="tip">
      <p><b>{kindName(data.kinds[kind] ?? 'other')}</b> <code>{line(id, 60)}</code>{blocks > 1 && <> and {blocks - 1} more</>}</p>
      <p>
        {size(high, data.unit)}, {percent(high, whole)} of {column.guest ? line(column.guest, 60) : column.draft ? 'the working state' : `call ${over.cycle}`}
        {blocks > 1 && <>; the largest has {unit.value === 'bytes' ? bytes(largest) : size(largest, 'tokens')}</>}
      </p>
      <p class="dim">
        {over.box.fresh ? 'sent anew' : 'same as before'}; since call {born}
        {data.actors[actor] ? <>, by {line(data.actors[actor]!, 60)}</> : null}
      </p>
    </div>
  )
}
