// The colours and hatchings of the picture. Colours come from the style sheet, so that light,
// dark and forced colours have one place.

/** What the picture is drawn with. */
export interface Theme {
  ground: string
  panel: string
  line: string
  text: string
  dim: string
  accent: string
  cut: string
  match: string
  /** What marks calls with a text; strong enough for a thin line. */
  found: string
  /** How much of its colour a band keeps that the call before had too, 0 to 1. */
  pale: number
  /** By kind. */
  kinds: Map<string, string>
  /** Whether the user chose the colours; then hatching alone tells kinds apart. */
  forced: boolean
}

const kinds = ['system', 'tool_definition', 'user', 'assistant', 'reasoning', 'call', 'result', 'image', 'summary',
  'stub', 'other', 'erased']

/** Calls a function now and whenever the theme may be another. The function that it returns ends that. */
export function onTheme(run: () => void): () => void {
  const control = new AbortController()
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) {
    matchMedia(query).addEventListener('change', run, { signal: control.signal })
  }
  run()
  return () => control.abort()
}

/** Reads the theme that the page has now. */
export function readTheme(): Theme {
  const forced = matchMedia('(forced-colors: active)').matches
  const style = getComputedStyle(document.documentElement)
  const of = (name: string) => {
    const value = style.getPropertyValue('--' + name).trim()
    return forced ? resolved(value) : value
  }
  return {
    ground: of('ground'), panel: of('panel'), line: of('line'), text: of('text'), dim: of('dim'),
    accent: of('accent'), cut: of('cut'), match: of('match'), found: of('found'), pale: Number(of('pale')),
    kinds: new Map(kinds.map((kind) => [kind, of('k-' + kind)])),
    forced,
  }
}

/** Returns what a colour of the system is on this page: a canvas out of sight takes it for that
 * of a light page. */
function resolved(colour: string): string {
  const probe = document.body.appendChild(document.createElement('i'))
  probe.style.setProperty('forced-color-adjust', 'none')
  probe.style.setProperty('color', colour)
  const found = getComputedStyle(probe).color
  probe.remove()
  return found
}

/** Draws the hatching of one tile of 8 by 8 pixels, a different one for each kind. */
type Hatch = (c: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D) => void

function lines(...list: [number, number, number, number][]): Hatch {
  return (c) => {
    c.beginPath()
    for (const [x, y, u, v] of list) {
      c.moveTo(x, y)
      c.lineTo(u, v)
    }
    c.stroke()
  }
}

function dots(...list: [number, number, number][]): Hatch {
  return (c) => list.forEach(([x, y, r]) => c.fillRect(x - r, y - r, 2 * r, 2 * r))
}

const rising = lines([-2, 6, 6, -2], [2, 10, 10, 2])
const falling = lines([2, -2, 10, 6], [-2, 2, 6, 10])

const hatches: Record<string, Hatch> = {
  system: lines([0, 4, 8, 4]),
  tool_definition: lines([0, 4, 8, 4], [4, 0, 4, 8]),
  user: () => {},
  assistant: rising,
  reasoning: dots([2, 2, 0.75], [6, 6, 0.75]),
  call: falling,
  result: lines([4, 0, 4, 8]),
  image: dots([2, 2, 2], [6, 6, 2]),
  summary: (c) => (rising(c), falling(c)),
  stub: lines([0, 4, 4, 4]),
  other: dots([4, 4, 0.75]),
  erased: lines([-2, 2, 2, -2], [-2, 6, 6, -2], [-2, 10, 10, -2], [2, 10, 10, 2], [6, 10, 10, 6]),
}

/** Makes the hatching of a kind in a colour, as a pattern to fill with. */
export function hatchOf(kind: string, colour: string, scale: number): CanvasPattern | null {
  const tile = new OffscreenCanvas(8 * scale, 8 * scale)
  const c = tile.getContext('2d')!
  c.scale(scale, scale)
  c.strokeStyle = c.fillStyle = colour
  c.lineWidth = 1
  ;(hatches[kind] ?? hatches.other!)(c)
  const pattern = c.createPattern(tile, 'repeat')
  pattern?.setTransform(new DOMMatrix().scale(1 / scale))
  return pattern
}

/** Makes the hatching of what a plan would remove. */
export function plannedHatch(colour: string, scale: number): CanvasPattern | null {
  const tile = new OffscreenCanvas(6 * scale, 6 * scale)
  const c = tile.getContext('2d')!
  c.scale(scale, scale)
  c.strokeStyle = colour
  c.lineWidth = 1.6
  lines([-1, 7, 7, -1], [-1, 1, 1, -1], [5, 7, 7, 5])(c)
  const pattern = c.createPattern(tile, 'repeat')
  pattern?.setTransform(new DOMMatrix().scale(1 / scale))
  return pattern
}

/** Mixes two colours of the form #rrggbb: all of the first at 0, all of the second at 1. */
export function mix(a: string, b: string, share: number): string {
  const part = (text: string, i: number) => parseInt(text.slice(1 + 2 * i, 3 + 2 * i), 16)
  const hex = [0, 1, 2].map((i) => Math.round(part(a, i) * (1 - share) + part(b, i) * share))
  if (hex.some(Number.isNaN)) return a // a system colour of forced colours
  return '#' + hex.map((n) => n.toString(16).padStart(2, '0')).join('')
}
