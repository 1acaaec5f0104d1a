// Draws the picture. What changes while scrubbing is drawn above a layer that is kept.
import { short } from '../format'
import { doubted } from '../provider'
import type { Colouring } from './colour'
import { colourer } from './colour'
import { type Box, callsOf, columnOf, cycleTicks, type Frame, type Layout, runsOf, ticks, xOf, yOf } from './layout'
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
  const { from, to, step } = layout.strata
  const x = xOf(frame, from + box.left * step)
  const right = xOf(frame, Math.min(to + 1, from + box.right * step))
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
    const [first, last] = callsOf(strata, i)
    const top = yOf(frame, column.size)
    c.fillRect(xOf(frame, first), top, xOf(frame, last + 1) - xOf(frame, first), frame.y + frame.height - top)
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
      c.fillRect(Math.round(xOf(frame, strata.from + i * strata.step)), top, 1, bottom - top)
    }
  }
  strata.columns.forEach((column, i) => {
    const [first, last] = callsOf(strata, i)
    const x = xOf(frame, first)
    const width = Math.max(2, xOf(frame, last + 1) - x)
    if (x + width < frame.x || x > frame.x + frame.width) return
    if (column.draft) {
      c.setLineDash([2, 3])
      c.strokeStyle = theme.text
      c.lineWidth = 1
      c.strokeRect(x + 0.5, yOf(frame, column.size), width - 1, frame.y + frame.height - yOf(frame, column.size))
      c.setLineDash([])
    }
    drawCut(c, scene, i)
    if (column.cached !== null) {
      const y = yOf(frame, column.cached)
      const long = Math.min(10, Math.max(4, width * 0.4))
      c.fillStyle = theme.text
      c.fillRect(x + width - long, y - 1, long, 2)
      if (doubted(column)) drawDoubt(c, theme, x + width - long / 2, y - 7)
    }
  })
}

/** Draws the red line of a column, and the edge above it. */
function drawCut(c: Canvas, { layout, frame, theme }: Scene, i: number): void {
  const { columns } = layout.strata
  const column = columns[i]
  if (!column || column.cut === null) return
  const [first, last] = callsOf(layout.strata, i)
  const x = xOf(frame, first)
  const width = Math.max(2, xOf(frame, last + 1) - x)
  const y = Math.min(yOf(frame, column.cut), frame.y + frame.height - 1.5) // all of it, also at the bottom
  const top = yOf(frame, Math.max(column.size, columns[i - 1]?.size ?? 0))
  c.fillStyle = theme.cut
  c.fillRect(x - 1, y - 1.5, width + 1, 3)
  c.fillRect(x - 1, top, 1.5, y - top)
}

/** Marks a call whose provider did not see the cut, or saw it elsewhere. */
function drawDoubt(c: Canvas, theme: Theme, x: number, y: number): void {
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
    for (const box of runsOf(layout.boxes, over.node)) outline(c, scene, box, theme.text, 2)
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

/** Frames the column of a call, a little outside of it, so that a cut at its foot stays in sight. */
function frameCall(c: Canvas, scene: Scene, cycle: number, colour: string, chosen: boolean): void {
  const { layout, frame } = scene
  const i = columnOf(layout.strata, cycle)
  if (i < 0) return
  const [first, last] = callsOf(layout.strata, i)
  const x = xOf(frame, first)
  const width = Math.max(2, xOf(frame, last + 1) - x)
  const bottom = frame.y + frame.height + 2
  const top = Math.max(2, yOf(frame, layout.strata.columns[i]!.size) - 4)
  c.strokeStyle = colour
  c.lineWidth = chosen ? 2 : 1.5
  if (!chosen) c.setLineDash([3, 3])
  c.strokeRect(x, top, width, bottom - top)
  c.setLineDash([])
}

/** Names calls below the picture: the one that is shown, beside it the one that it is compared
 * with, and others where there is room. */
function nameCalls(c: Canvas, { layout, frame, theme }: Scene, at: number | null, vs: number | null): void {
  const y = frame.y + frame.height + 12.5
  const taken: { middle: number; wide: number }[] = []
  const write = (cycle: number, middle: number, wide: number, colour: string) => {
    c.fillStyle = colour
    c.fillText(layout.strata.columns[columnOf(layout.strata, cycle)]?.draft ? 'working' : '@c' + cycle, middle, y)
    taken.push({ middle, wide })
  }
  const place = (cycle: number) => {
    const wide = c.measureText('@c' + cycle).width + 10
    const middle = xOf(frame, cycle + 0.5)
    return { wide, middle: Math.min(Math.max(middle, frame.x + wide / 2), frame.x + frame.width - wide / 2) }
  }
  c.textAlign = 'center'
  c.textBaseline = 'middle'
  if (at !== null) {
    c.font = '600 ' + font
    const { wide, middle } = place(at)
    c.fillStyle = theme.accent
    c.fillRect(middle - wide / 2, y - 8, wide, 16)
    write(at, middle, wide, theme.ground)
  }
  c.font = font
  if (vs !== null) {
    const { wide, middle } = place(vs)
    const room = taken[0] ? (wide + taken[0].wide) / 2 : 0
    const near = taken[0] && Math.abs(middle - taken[0].middle) < room
    write(vs, near ? taken[0]!.middle + (vs < at! ? -room : room) : middle, wide, theme.dim)
  }
  for (const cycle of cycleTicks(frame, 64)) {
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
  const end = xOf(frame, frame.first + frame.count)
  const right = frame.x + frame.width
  const left = Math.round(right - end > wide + 16 ? right - wide - 8 : frame.x + 8) + 0.5
  const middle = Math.max(9, y)
  c.fillStyle = theme.ground
  c.fillRect(left, middle - 8, wide, 16)
  c.strokeRect(left, middle - 8, wide, 16)
  c.fillStyle = budget.held ? theme.cut : theme.dim
  c.fillText(budget.text, left + 6, middle + 0.5)
}
