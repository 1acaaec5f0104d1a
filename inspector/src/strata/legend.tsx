import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Unit } from '../api'
import { colouring, embedded, hasCalls, hasDraft, occurrences, strata, unit, zoom } from '../state'
import { line } from '../text'
import { trying, turnTrying } from '../whatif'
import { Mark } from './marks'
import { colourer, ramp, type Colouring } from './colour'
import { hatchOf, mix, onTheme, readTheme } from './theme'

const names: Record<string, string> = { tool_definition: 'tool definition' }

/** Returns the name of a kind as a person reads it. */
export function kindName(kind: string): string {
  return names[kind] ?? kind
}

const colourings: [Colouring, string][] = [['kind', 'kind'], ['age', 'age'], ['size', 'size'], ['actor', 'who']]

/** Says what the colours mean, and lets the user choose that and the unit. */
export function Legend() {
  const data = strata.value.value
  const seen = new Set<number>()
  const actors = new Set<number>()
  const counted = data?.columns.some((column) => column.cached !== null)
  const broke = data?.columns.some((column) => column.broke)
  for (const column of data?.columns ?? []) {
    for (const band of column.bands) {
      seen.add(band[1])
      actors.add(band[5])
    }
  }
  return (
    <div class="legend">
      <Choice label="Colour" options={colourings} value={colouring.value}
        choose={(by) => void (colouring.value = by)} />
      <Choice label="Height" options={[['bytes', 'bytes'], ['tokens', 'tokens']] as [Unit, string][]}
        value={unit.value} choose={(u) => void (unit.value = u)} />
      {!embedded && hasCalls.value && (
        <button type="button" aria-pressed={trying.value} title="What blocks left out change (x)"
          onClick={turnTrying}>what if</button>
      )}
      {zoom.value && <button type="button" onClick={() => void (zoom.value = null)}>All calls</button>}
      <ul class="legend-list">
        {colouring.value === 'kind' && [...seen].sort((a, b) => a - b).map((kind) => (
          <li key={kind}><Sample kind={data!.kinds[kind]!} />{kindName(data!.kinds[kind]!)}</li>
        ))}
        {colouring.value === 'actor' && [...actors].sort((a, b) => a - b).map((actor) => (
          <li key={actor}><Sample actor={actor} />{line(data!.actors[actor] || 'unknown', 40)}</li>
        ))}
        {colouring.value === 'age' && <li>older <Sample /> newer</li>}
        {colouring.value === 'size' && <li>smaller <Sample /> larger</li>}
      </ul>
      <ul class="legend-list legend-marks" aria-label="Marks">
        <Mark of="pale" />
        <Mark of="full" />
        <Mark of="cut" />
        <Mark of="compared" />
        {hasDraft.value && <Mark of="draft" />}
        {occurrences.value !== null && <Mark of="found" />}
        {counted && <Mark of="cached" />}
        {broke && <Mark of="broke" />}
      </ul>
    </div>
  )
}

interface ChoiceOf<T extends string> {
  label: string
  options: [T, string][]
  value: T
  choose: (value: T) => void
}

function Choice<T extends string>({ label, options, value, choose }: ChoiceOf<T>) {
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map(([key, name]) => (
        <button key={key} type="button" aria-pressed={key === value} onClick={() => choose(key)}>{name}</button>
      ))}
    </div>
  )
}

/** A sample of a colour as the picture draws it: of a kind, of somebody, or of all values. */
function Sample({ kind, actor }: { kind?: string; actor?: number }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const draw = () => {
    const on = canvas.current
    const data = strata.peek().value
    if (!on || !data) return
    const theme = readTheme()
    const scale = devicePixelRatio || 1
    const [width, height] = [on.clientWidth, on.clientHeight]
    ;[on.width, on.height] = [width * scale, height * scale]
    const c = on.getContext('2d')!
    c.scale(scale, scale)
    if (kind === undefined && actor === undefined) {
      for (let x = 0; x < width; x++) {
        c.fillStyle = ramp(theme, x / width)
        c.fillRect(x, 0, 1, height)
      }
      return
    }
    const of = colourer(actor === undefined ? 'kind' : 'actor', data, theme)
    const index = kind === undefined ? 0 : data.kinds.indexOf(kind)
    c.fillStyle = theme.forced ? theme.line : of([0, index, 1, '', 0, actor ?? 0, 0])
    c.fillRect(0, 0, width, height)
    const ink = theme.forced ? theme.ground : mix(theme.ground, theme.text, 0.04)
    const hatch = kind === undefined ? null : hatchOf(kind, ink, scale)
    if (hatch) {
      c.globalAlpha = 0.4
      c.fillStyle = hatch
      c.fillRect(0, 0, width, height)
    }
  }
  useLayoutEffect(() => onTheme(draw), [kind, actor])
  const all = kind === undefined && actor === undefined
  return <canvas ref={canvas} class={all ? 'sample ramp' : 'sample'} aria-hidden="true" />
}
