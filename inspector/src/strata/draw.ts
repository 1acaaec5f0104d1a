// Draws the picture. What changes while scrubbing is drawn above a layer that is kept.
import { short } from '../format'
import type { Colouring } from './colour'
import { colourer } from './colour'
import { type Box, columnOf, cycleTicks, draftOf, type Frame, type Layout, type Run, runsOf, spanOf, ticks, xOf, yOf } from './layout'
import { hatchOf, mix, plannedHatch, type Theme } from './theme'

type Canvas = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D

/** What the kept layer shows. */
export interface Scene {
  layout: Layout
  frame: Frame
  theme: Theme
  colouring: Colouring
  matches: ReadonlySet<string> | null
  planned: ReadonlySet<string> | null
  /** The calls in which the words of the box stand, first and last of each run. */
  strip: readonly (readonly [number, number])[]
  /** Pixels of the screen in a pixel of the page. */
  scale: number
}

/** What is drawn above it. */
export interface Overlay {
  at: number | null
  vs: number | null
  node: string | null
  hover: Box | null
  budget: { height: number; text: string; held: boolean }
}

/** Room for the names of heights and calls. */
export const gutter = { left: 52, right: 14, top: 14, bottom: 22 }
const font = '11px system-ui, sans-serif'

/** Draws the layer that is kept: axes, bands, cuts and what providers say. */
export function drawScene(c: Canvas, scene: Scene): void {
  const { frame, theme } = scene
  drawAxes(c, frame, theme)
  c.save()
  c.beginPath()
  c.rect(frame.x, 0, frame.width, frame.y + frame.height + 1)
  c.clip()
  drawBoxes(c, scene)
  drawCuts(c, scene)
  c.restore()
  drawStrip(c, scene)
}

/** Marks below the picture the calls in which the words of the box stand. */
function drawStrip(c: Canvas, { frame, theme, strip }: Scene): void {
  c.fillStyle = theme.found
  for (const [from, to] of strip) {
    const [x, right] = [xOf(frame, Math.max(from, frame.first)), xOf(frame, Math.min(to + 1, frame.end))]
    if (right > x) c.fillRect(x, frame.y + frame.height + 2, Math.max(1.5, right - x - (frame.wide > 6 ? 1 : 0)), 3)
  }
}

function drawAxes(c: Canvas, frame: Frame, theme: Theme): void {
  c.font = font
  c.textBaseline = 'middle'
  c.textAlign = 'right'
  for (const height of ticks(frame.max, frame.height / 44)) {
    const y = Math.round(yOf(frame, height)) + 0.5
    c.fillStyle = theme.dim
    c.fillText(short(height), frame.x - 8, y)
    c.strokeStyle = theme.line
    c.lineWidth = 1
    c.beginPath()
    c.moveTo(frame.x - 4, y)
    c.lineTo(frame.x + frame.width, y)
    c.stroke()
  }
}

/** Returns where a box is: x, y, width, height. */
export function placeOf(layout: Layout, frame: Frame, box: Box): [number, number, number, number] {
  const x = xOf(frame, spanOf(layout.strata, box.left)[0])
  const right = xOf(frame, spanOf(layout.strata, box.right - 1)[1])
  const y = yOf(frame, box.top)
  return [x, y, right - x, yOf(frame, box.bottom) - y]
}

function drawBoxes(c: Canvas, scene: Scene): void {
  const { layout, frame, theme, matches, planned } = scene
  const { strata } = layout
  const colour = colourer(scene.colouring, strata, theme)
  const patterns = new Map<string, CanvasPattern | null>()
  const pattern = (kind: number, fresh: boolean) => {
    const key = kind + (fresh ? '+' : '-')
    if (!patterns.has(key)) {
      const ink = theme.forced ? (fresh ? theme.ground : theme.text) : mix(theme.ground, theme.text, 0.04)
      patterns.set(key, hatchOf(strata.kinds[kind] ?? 'other', ink, scene.scale))
    }
    return patterns.get(key)!
  }
  const gone = planned && plannedHatch(theme.cut, scene.scale)
  // Pale bands let the ground through, but not the lines of the axis.
  c.fillStyle = theme.ground
  strata.columns.forEach((column, i) => {
    const [first, next] = spanOf(strata, i)
    const top = yOf(frame, column.size)
    c.fillRect(xOf(frame, first), top, xOf(frame, next) - xOf(frame, first), frame.y + frame.height - top)
  })
  for (const box of layout.boxes) {
    const [x, y, width, height] = placeOf(layout, frame, box)
    if (x + width < frame.x || x > frame.x + frame.width) continue
    const dark = matches !== null && !matches.has(box.band[3])
    c.globalAlpha = (box.fresh ? 1 : theme.pale) * (dark ? 0.35 : 1)
    c.fillStyle = theme.forced ? (box.fresh ? theme.line : theme.ground) : colour(box.band)
    c.fillRect(x, y, width, height)
    if (height >= 4) {
      c.globalAlpha = theme.forced ? 1 : box.fresh ? 0.3 : 0.55
      const hatch = pattern(box.band[1], box.fresh)
      if (hatch) {
        c.fillStyle = hatch
        c.fillRect(x, y, width, height)
      }
      c.globalAlpha = 1
      c.fillStyle = theme.forced ? theme.text : theme.ground
      c.fillRect(x, y, width, 1)
    }
    c.globalAlpha = 1
    if (matches !== null && !dark) {
      c.strokeStyle = theme.match
      c.lineWidth = 2
      c.strokeRect(x + 1, y + 1, Math.max(1, width - 2), Math.max(1, height - 2))
    }
    if (gone && planned.has(box.band[3])) {
      c.globalAlpha = 0.5
      c.fillStyle = theme.ground
      c.fillRect(x, y, width, height)
      c.globalAlpha = 1
      c.fillStyle = gone
      c.fillRect(x, y, width, height)
    }
  }
}

function drawCuts(c: Canvas, scene: Scene): void {
  const { layout, frame, theme } = scene
  const { strata } = layout
  if (frame.wide * strata.step >= 9) {
    // What is new is apart from its neighbours; what stays runs through.
    c.fillStyle = theme.ground
    for (let i = 1; i < strata.columns.length; i++) {
      const top = yOf(frame, Math.max(strata.columns[i]!.size, strata.columns[i - 1]!.size))
      const bottom = yOf(frame, strata.columns[i]!.shared)
      c.fillRect(Math.round(xOf(frame, spanOf(strata, i)[0])), top, 1, bottom - top)
    }
  }
  strata.columns.forEach((column, i) => {
    const [first, next] = spanOf(strata, i)
    const x = xOf(frame, first)
    const width = Math.max(2, xOf(frame, next) - x)
    if (x + width < frame.x || x > frame.x + frame.width) return
    if (column.guest !== undefined) {
      c.fillStyle = theme.ground
      c.fillRect(x, 0, 4, frame.y + frame.height)
    }
    if (column.draft) {
      c.setLineDash([4, 3])
      c.strokeStyle = theme.text
      c.lineWidth = 1.5
      c.strokeRect(x + 1, yOf(frame, column.size) - 1, width - 2, frame.y + frame.height + 1 - yOf(frame, column.size))
      c.setLineDash([])
    }
    drawCut(c, scene, i)
    if (column.cached !== null) {
      const y = yOf(frame, column.cached)
      const long = Math.min(10, Math.max(4, width * 0.4))
      c.fillStyle = theme.text
      c.fillRect(x + width - long, y - 1, long, 2)
      if (column.broke) drawBreak(c, theme, x + width - long / 2, y - 7)
    }
  })
}

/** Draws the red line of a column, and the edge above it. */
function drawCut(c: Canvas, { layout, frame, theme }: Scene, i: number): void {
  const { columns } = layout.strata
  const column = columns[i]
  if (!column || column.cut === null) return
  const [first, next] = spanOf(layout.strata, i)
  const x = xOf(frame, first)
  const width = Math.max(2, xOf(frame, next) - x)
  const y = Math.min(yOf(frame, column.cut), frame.y + frame.height - 1.5) // all of it, also at the bottom
  const top = yOf(frame, Math.max(column.size, column.guest === undefined ? (columns[i - 1]?.size ?? 0) : 0))
  c.fillStyle = theme.cut
  c.fillRect(x - 1, y - 1.5, width + 1, 3)
  c.fillRect(x - 1, top, 1.5, y - top)
}

/** Marks a call that read less than was left. */
function drawBreak(c: Canvas, theme: Theme, x: number, y: number): void {
  c.beginPath()
  c.arc(x, y, 4, 0, 2 * Math.PI)
  c.fillStyle = theme.ground
  c.fill()
  c.lineWidth = 1.5
  c.strokeStyle = theme.text
  c.stroke()
  c.beginPath()
  c.moveTo(x - 2.5, y + 2.5)
  c.lineTo(x + 2.5, y - 2.5)
  c.stroke()
}

/** Draws what changes while scrubbing. */
export function drawOverlay(c: Canvas, scene: Scene, over: Overlay): void {
  const { layout, frame, theme } = scene
  const bottom = frame.y + frame.height
  c.save()
  c.beginPath()
  c.rect(frame.x - 2, 0, frame.width + 4, bottom + gutter.bottom)
  c.clip()
  if (over.node !== null) {
    for (const run of runsOf(layout.boxes, over.node)) outlineRun(c, scene, run)
  }
  if (over.hover) outline(c, scene, over.hover, theme.accent, 1.5)
  if (over.vs !== null) frameCall(c, scene, over.vs, theme.dim, false)
  if (over.at !== null) frameCall(c, scene, over.at, theme.accent, true)
  // The outline of a block may lie on the cut that is asked about.
  if (over.at !== null) drawCut(c, scene, columnOf(layout.strata, over.at))
  nameCalls(c, scene, over.at, over.vs)
  c.restore()
  drawBudget(c, scene, over.budget)
}

function outline(c: Canvas, scene: Scene, box: Box, colour: string, width: number): void {
  const [x, y, wide, high] = placeOf(scene.layout, scene.frame, box)
  c.strokeStyle = colour
  c.lineWidth = width
  c.strokeRect(x + width / 2, y + width / 2, Math.max(1, wide - width), Math.max(1, high - width))
}

/** Draws one line around a block through all columns of a run, outside of it, so that a low one stays in sight. */
function outlineRun(c: Canvas, { layout, frame, theme }: Scene, run: Run): void {
  const away = 2
  const path: [number, number][] = []
  run.edges.forEach(([, top], i) => {
    const [first, next] = spanOf(layout.strata, run.left + i)
    path.push([xOf(frame, first), yOf(frame, top) - away], [xOf(frame, next), yOf(frame, top) - away])
  })
  run.edges.toReversed().forEach(([bottom], i) => {
    const [first, next] = spanOf(layout.strata, run.left + run.edges.length - 1 - i)
    path.push([xOf(frame, next), yOf(frame, bottom) + away], [xOf(frame, first), yOf(frame, bottom) + away])
  })
  c.beginPath()
  path.forEach(([x, y], i) => (i === 0 ? c.moveTo(x, y) : c.lineTo(x, y)))
  c.closePath()
  for (const [colour, width] of [[theme.ground, 3.5], [theme.text, 1.5]] as const) {
    c.strokeStyle = colour
    c.lineWidth = width
    c.stroke()
  }
}

/** Frames the column of a call, a little outside of it, so that a cut at its foot stays in sight. */
function frameCall(c: Canvas, scene: Scene, cycle: number, colour: string, chosen: boolean): void {
  const { layout, frame } = scene
  const i = columnOf(layout.strata, cycle)
  if (i < 0) return
  const [first, next] = spanOf(layout.strata, i)
  const x = xOf(frame, first)
  const width = Math.max(2, xOf(frame, next) - x)
  const bottom = frame.y + frame.height + 2
  const top = Math.max(2, yOf(frame, layout.strata.columns[i]!.size) - 4)
  c.strokeStyle = colour
  c.lineWidth = chosen ? 2 : 1
  c.strokeRect(x, top, width, bottom - top)
}

/** Names calls below the picture: the one that is shown, beside it the one that it is compared
 * with, and others where there is room. */
function nameCalls(c: Canvas, { layout, frame, theme }: Scene, at: number | null, vs: number | null): void {
  const y = frame.y + frame.height + 12.5
  const taken: { middle: number; wide: number }[] = []
  const write = (cycle: number, middle: number, wide: number, colour: string) => {
    c.fillStyle = colour
    c.fillText(nameOf(cycle), middle, y)
    taken.push({ middle, wide })
  }
  const nameOf = (cycle: number) => {
    const column = layout.strata.columns[columnOf(layout.strata, cycle)]
    return column?.draft ? 'working' : (column?.guest === undefined ? '@c' : '⟷ @c') + (column?.guest ? column.cycle : cycle)
  }
  const place = (cycle: number) => {
    const wide = c.measureText(nameOf(cycle)).width + 10
    const size = cycle > layout.strata.to ? layout.strata.step : 1
    const middle = (xOf(frame, cycle) + xOf(frame, cycle + size)) / 2
    return { wide, middle: Math.min(Math.max(middle, frame.x + wide / 2), frame.x + frame.width - wide / 2) }
  }
  c.textAlign = 'center'
  c.textBaseline = 'middle'
  const bold = '600 ' + font
  c.font = bold
  const own = at === null ? null : place(at)
  c.font = font
  const other = vs === null ? null : place(vs)
  const room = own && other ? (own.wide + other.wide) / 2 : 0
  if (own && other && Math.abs(own.middle - other.middle) < room) { // side by side, the later call on the right
    if (vs! < at!) other.middle = own.middle - room
    else {
      other.middle = Math.min(own.middle + room, frame.x + frame.width - other.wide / 2)
      own.middle = other.middle - room
    }
  }
  if (own) {
    c.font = bold
    c.fillStyle = theme.accent
    c.fillRect(own.middle - own.wide / 2, y - 8, own.wide, 16)
    write(at!, own.middle, own.wide, theme.ground)
  }
  c.font = font
  if (other) {
    c.strokeStyle = theme.dim
    c.lineWidth = 1
    c.strokeRect(Math.round(other.middle - other.wide / 2) + 0.5, y - 7.5, Math.round(other.wide) - 1, 15)
    write(vs!, other.middle, other.wide, theme.text)
  }
  const draft = draftOf(layout.strata)
  for (const cycle of [...(draft === null ? [] : [draft]), ...cycleTicks(frame, 64)]) {
    const { wide, middle } = place(cycle)
    if (!taken.some((t) => Math.abs(t.middle - middle) < (t.wide + wide) / 2)) write(cycle, middle, wide, theme.dim)
  }
}

/** Draws the line that a policy limits the picture to. */
function drawBudget(c: Canvas, scene: Scene, budget: Overlay['budget']): void {
  const { frame, theme } = scene
  const y = Math.round(yOf(frame, budget.height)) + 0.5
  c.strokeStyle = budget.held ? theme.cut : theme.dim
  c.lineWidth = 1
  c.setLineDash([6, 4])
  c.beginPath()
  c.moveTo(frame.x, y)
  c.lineTo(frame.x + frame.width, y)
  c.stroke()
  c.setLineDash([])
  c.font = font
  c.textAlign = 'left'
  c.textBaseline = 'middle'
  const wide = Math.round(c.measureText(budget.text).width) + 12
  // The label covers no call where few calls leave room; else the earliest, which are the lowest.
  const end = xOf(frame, spanOf(scene.layout.strata, scene.layout.strata.columns.length - 1)[1])
  const right = frame.x + frame.width
  const left = Math.round(right - end > wide + 16 ? right - wide - 8 : frame.x + 8) + 0.5
  const middle = Math.max(9, y)
  c.fillStyle = theme.ground
  c.fillRect(left, middle - 8, wide, 16)
  c.strokeRect(left, middle - 8, wide, 16)
  c.fillStyle = budget.held ? theme.cut : theme.dim
  c.fillText(budget.text, left + 6, middle + 0.5)
}
