// What the colour of a band means: its kind, its age, its size, or who brought it.
import type { Band, Strata } from '../api'
import { mix, type Theme } from './theme'

export type Colouring = 'kind' | 'age' | 'size' | 'actor'

/** Returns the colour of each band of a picture. */
export function colourer(by: Colouring, strata: Strata, theme: Theme): (band: Band) => string {
  const kind = (k: number) => theme.kinds.get(strata.kinds[k] ?? 'other') ?? theme.dim
  switch (by) {
    case 'kind':
      return (band) => kind(band[1])
    case 'age': {
      const span = Math.max(1, strata.to - strata.from)
      return (band) => ramp(theme, (band[4] - strata.from) / span)
    }
    case 'size': {
      // Sizes of blocks differ by powers of ten.
      let largest = 1
      for (const column of strata.columns) for (const band of column.bands) largest = Math.max(largest, band[6])
      return (band) => ramp(theme, Math.log(Math.max(1, band[6])) / Math.log(Math.max(2, largest)))
    }
    case 'actor': {
      const palette = [...theme.kinds.values()]
      // Neighbours in the palette of kinds are alike; every second one is not.
      return (band) => palette[(2 + 2 * band[5]) % palette.length]!
    }
  }
}

/** Returns the colour of a value between 0 and 1. */
export function ramp(theme: Theme, share: number): string {
  const stops = ['user', 'assistant', 'reasoning', 'call'].map((kind) => theme.kinds.get(kind)!)
  const at = Math.min(1, Math.max(0, share)) * (stops.length - 1)
  const i = Math.min(stops.length - 2, Math.floor(at))
  return mix(stops[i]!, stops[i + 1]!, at - i)
}
