import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import { stateName, vsText } from '../address'
import type { BlockRow } from '../api'
import { bytes, plural } from '../format'
import { useKeys } from '../keys'
import { useLoaded } from '../load'
import { Nothing, Problem, Swatch, Waiting } from '../parts'
import { address, at, atName, matches, offered, select, vs, vsName } from '../state'
import { line, safe } from '../text'
import { List } from '../virtual'
import { type Fold, fold, type Pair } from './align'
import { causeText } from './cause'
import { compare, type Comparison } from './compare'
import { Safe } from './content'
import { type Part, side } from './words'

const around = 2 // rows that stay open beside a difference
const near = 60 // characters that stay beside a difference inside a row

/** Whether rows in which nothing differs are shown; kept while one scrubs. */
const whole = signal(false)

/** What differs between the marked call and the one that is shown, side by side. */
export function Changes(): JSX.Element {
  const [name, now, before] = [address.value.name ?? '', atName.value, vsName.value]
  const all = whole.value
  const key = before === undefined ? null : JSON.stringify([name, now, before, all])
  const loaded = useLoaded(key, async (stop) => ({ key, found: await compare(name, now, before ?? '', all, stop) }))
  if (before === undefined) return <Nothing>This is the first call: there is none before it to compare with.</Nothing>
  if (loaded.failure && loaded.state === 'failed') return <Problem failure={loaded.failure} again={loaded.again} />
  if (!loaded.value) return <Waiting what="the changes" />
  return (
    <div class="pane-rows pane-changes" aria-busy={loaded.state === 'loading'}>
      <SideBySide key={loaded.value.key} found={loaded.value.found} />
    </div>
  )
}

function SideBySide({ found }: { found: Comparison }): JSX.Element {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const [current, setCurrent] = useState(-1)
  const rows = useMemo(() => (whole.value ? found.pairs : fold(found.pairs, around, open)), [found, open, whole.value])
  const chosen = address.value.node
  const here =
    current >= 0 && current < rows.length && (isFold(rows[current]) || nodeOf(found, rows[current]) === chosen)
      ? current
      : rows.findIndex((row) => chosen !== null && nodeOf(found, row) === chosen)

  const pick = (i: number, how: 'push' | 'replace'): void => {
    setCurrent(i)
    const row = rows[i]
    if (!row || row.kind === 'fold') return
    const shown = row.right === undefined ? found.left[row.left as number] : found.right[row.right]
    if (shown) select(shown.id, at.peek(), how)
  }
  const unfold = (i: number): void => {
    const row = rows[i]
    if (row?.kind === 'fold') setOpen(new Set([...open, row.from]))
  }
  const keyboard = useRef({ rows, here, pick })
  keyboard.current = { rows, here, pick }
  const step = (by: number) => (): void => {
    const now = keyboard.current
    // A block that the screen selected by itself is no place to go on from.
    const from = address.peek().node !== offered.peek() ? now.here : by > 0 ? -1 : now.rows.length
    for (let i = from + by; i >= 0 && i < now.rows.length; i += by) {
      const kind = now.rows[i]?.kind
      if (kind !== 'same' && kind !== 'fold') return now.pick(i, 'replace')
    }
  }
  useKeys('Changes', [
    { keys: ['n'], does: 'next change', run: step(1) },
    { keys: ['p'], does: 'change before', run: step(-1) },
    { keys: ['u'], does: 'show or fold what is unchanged', run: () => (whole.value = !whole.value) },
  ])
  const c = found.counts
  const none = c.added + c.removed + c.changed + c.moved === 0
  return (
    <>
      <div class="pane-bar">
        <span class="changes-counts">
          {none && <span>The same blocks in the same order{c.structure > 0 ? '' : ', byte for byte'}</span>}
          {c.added > 0 && <span class="count-added">+{c.added} added</span>}
          {c.removed > 0 && <span class="count-removed">−{c.removed} removed</span>}
          {c.changed > 0 && <span class="count-changed">~{c.changed} changed</span>}
          {c.moved > 0 && <span class="count-moved">↕{c.moved} moved</span>}
          {c.structure > 0 && <span class="faint">and {plural(c.structure, 'turn or group', 'turns and groups')}</span>}
        </span>
        <button type="button" onClick={step(-1)} title="Change before (p)" disabled={none}>
          ↑
        </button>
        <button type="button" onClick={step(1)} title="Next change (n)" disabled={none}>
          ↓
        </button>
      </div>
      <div class="sides" aria-hidden="true">
        <Side of={found.from} name={safe(vsText(vs.value ?? 'working'))} />
        <Side of={found.to} name={stateName(at.value)} />
      </div>
      {found.skipped > 0 && (
        <button type="button" class="skipped" onClick={() => (whole.value = true)}>
          ⋯ {plural(found.skipped, 'block')} unchanged before: show all (u)
        </button>
      )}
      {rows.length > 0 && (
        <List
          id="changes"
          label={`Changes from ${vsName.value} to ${atName.value}`}
          role="listbox"
          count={rows.length}
          of={rows}
          current={here}
          estimate={() => 26}
          onCurrent={pick}
          onOpen={unfold}
          rowClass={(i) => classOf(found, rows[i])}
          row={(i) => {
            const row = rows[i]
            if (!row) return null
            if (row.kind === 'fold') return <FoldLine fold={row} found={found} open={() => unfold(i)} />
            return <PairLine pair={row} found={found} />
          }}
        />
      )}
      {found.uncompared > 0 && <p class="skipped">{plural(found.uncompared, 'block')} behind this were not compared</p>}
    </>
  )
}

function Side({ of, name }: { of: Comparison['from']; name: string }): JSX.Element {
  return (
    <span>
      <b>{name}</b> {plural(of.blocks, 'block')}, {bytes(of.bytes)}
    </span>
  )
}

function isFold(row: Pair | Fold | undefined): boolean {
  return row?.kind === 'fold'
}

function nodeOf(found: Comparison, row: Pair | Fold | undefined): string | undefined {
  if (!row || row.kind === 'fold') return undefined
  return row.right === undefined ? found.left[row.left as number]?.id : found.right[row.right]?.id
}

function classOf(found: Comparison, row: Pair | Fold | undefined): string {
  const node = nodeOf(found, row)
  return 'change change-' + (row?.kind ?? '') + (node !== undefined && matches.value?.has(node) ? ' lit' : '')
}

function FoldLine({ fold, found, open }: { fold: Fold; found: Comparison; open: () => void }): JSX.Element {
  const size = found.pairs.slice(fold.from, fold.to).reduce((n, p) => n + (found.right[p.right ?? -1]?.bytes ?? 0), 0)
  return (
    <div class="fold" onClick={open}>
      ⋯ {plural(fold.to - fold.from, 'block')} unchanged, {bytes(size)}
    </div>
  )
}

function PairLine({ pair, found }: { pair: Pair; found: Comparison }): JSX.Element {
  const left = pair.left === undefined ? undefined : found.left[pair.left]
  const right = pair.right === undefined ? undefined : found.right[pair.right]
  const known = pair.kind === 'same' ? undefined : found.differences.get((right ?? left)?.id ?? '')
  const why = known && pair.kind !== 'same' ? causeText(known.cause, pair.kind, found.from.cycle > found.to.cycle) : ''
  const hunks = pair.kind === 'changed' ? known?.content?.hunks : undefined
  const mark = marks[pair.kind]
  return (
    <>
      <div class="pair">
        {left ? (
          <Half row={left} mark={mark[0]} parts={hunks ? side(hunks, 'del', near) : null} side="old" />
        ) : (
          <NoHalf why={why} side="old" />
        )}
        {right ? (
          <Half row={right} mark={mark[1]} parts={hunks ? side(hunks, 'ins', near) : null} side="new" />
        ) : (
          <NoHalf why={why} side="new" />
        )}
      </div>
      {left && right && why !== '' && (
        <div class="change-cause">
          {why}
          {known && known.fields.length > 0 && ' · ' + known.fields.map(fieldName).join(', ')}
        </div>
      )}
    </>
  )
}

/** What stands before a row of the older side and of the newer one. */
const marks = { same: ['', ''], changed: ['~', '~'], moved: ['↕', '↕'], removed: ['−', ''], added: ['', '+'] } as const

/** The side that does not have the block, where there is room to say why. */
function NoHalf({ why, side }: { why: string; side: 'old' | 'new' }): JSX.Element {
  return (
    <div class="half half-none" data-side={side}>
      {why}
    </div>
  )
}

function fieldName(name: string): string {
  return name === 'content_hash' ? 'content' : name
}

interface HalfProps {
  row: BlockRow
  mark: string
  parts: Part[] | null
  side: 'old' | 'new'
}

function Half({ row, mark, parts, side }: HalfProps): JSX.Element {
  return (
    <div class={parts ? 'half compared' : 'half'} data-side={side}>
      <span class="half-place">{row.place}</span>
      <span class="half-mark">{mark}</span>
      <Swatch kind={row.shown_kind} />
      <span class="half-text">
        {row.tool && (
          <span class="message-tool">
            <Safe text={line(row.tool, 40)} />
          </span>
        )}
        {parts ? parts.map((part, i) => <Words key={i} part={part} />) : <Safe text={line(row.first, 160)} />}
      </span>
      <span class="message-size">{bytes(row.bytes)}</span>
    </div>
  )
}

function Words({ part }: { part: Part }): JSX.Element {
  if (part.kind === 'gap') return <span class="gap"> ⋯ {part.text} characters ⋯ </span>
  return part.kind === 'only' ? (
    <mark>
      <Safe text={part.text} />
    </mark>
  ) : (
    <Safe text={part.text} />
  )
}
