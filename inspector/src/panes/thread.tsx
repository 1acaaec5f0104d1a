import { computed, signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { BlockRow } from '../api'
import { bytes, count, percent, plural } from '../format'
import { useKeys } from '../keys'
import { Nothing, Problem, Swatch, Toggle, Waiting } from '../parts'
import { address, at, atName, call, context, matches, offered, planned, select, unit, vs, vsName } from '../state'
import { safe } from '../text'
import { List } from '../virtual'
import { mark, trying } from '../whatif'
import { type Rows, useRows } from './rows'
import { Message, messageHeight } from './message'
import { nodeAt } from './node'

/** Grows when the working state changed, if that is shown. */
const draftTurn = computed(() => (at.value === 'working' ? (context.value.value?.revision ?? 0) : 0))

const kind = signal('')
const order = signal<'place' | 'bytes' | 'carried'>('place')
/** The call in which a person asked for an order: there the list begins at its first row, not at the block that the
 * screen selected by itself. */
const ordered = signal('')
const failed = signal(false)

/** The messages as the model was sent them. */
export function Thread(): JSX.Element {
  const name = address.value.name
  const loaded = useRows(
    name ?? '',
    {
      at: atName.value,
      vs: vsName.value,
      kind: kind.value || undefined,
      failed: failed.value || undefined,
      order: order.value,
      unit: unit.value,
    },
    draftTurn.value,
  )
  const rows = loaded.value
  return (
    <div class="pane-rows pane-thread" aria-busy={loaded.state === 'loading'}>
      <Filters rows={rows} />
      {loaded.failure && <Problem failure={loaded.failure} again={loaded.again} />}
      {!rows && loaded.state === 'loading' && <Waiting what="the messages" />}
      {rows && rows.total === 0 && <Empty />}
      {rows && rows.total > 0 && <Messages key={Object.values({ ...rows.query, at: '', vs: '' }).join()} rows={rows} />}
    </div>
  )
}

function Empty(): JSX.Element {
  if (kind.value === '' && !failed.value) return <Nothing>No block is in this call.</Nothing>
  const clear = (): void => {
    kind.value = ''
    failed.value = false
  }
  return (
    <Nothing>
      No {failed.value ? 'failed ' : ''}
      {kind.value || 'block'} is in this call.{' '}
      <button type="button" onClick={clear}>
        Show all blocks
      </button>
    </Nothing>
  )
}

/** How much of the thread each kind has; each of them is a filter. */
function Filters({ rows }: { rows: Rows | undefined }): JSX.Element {
  const [sums, keep] = useState(rows?.sums ?? [])
  useEffect(() => {
    if (rows && kind.value === '' && !failed.value) keep(rows.sums)
  }, [rows])
  const all = sums.reduce((n, sum) => n + (sum.tokens ?? sum.bytes), 0)
  return (
    <div class="pane-bar" role="toolbar" aria-label="Filters of the thread">
      <div class="sums">
        {sums.map((sum) => (
          <button
            type="button"
            key={sum.kind}
            class="sum"
            aria-pressed={kind.value === sum.kind}
            title={`${plural(sum.blocks, 'block')}, ${percent(sum.tokens ?? sum.bytes, all)} of the thread`}
            onClick={() => (kind.value = kind.value === sum.kind ? '' : sum.kind)}>
            <Swatch kind={sum.kind} /> {sum.kind.replace('_', ' ')}
            <span class="faint"> {sum.tokens === undefined ? bytes(sum.bytes) : plural(sum.tokens, 'token')}</span>
          </button>
        ))}
      </div>
      <Toggle on={failed.value} set={(on) => (failed.value = on)} title="Only failures (f)">
        failed
      </Toggle>
      <Toggle on={order.value === 'bytes'} set={() => turn('bytes')} title="By size (l)">
        largest first
      </Toggle>
      <Toggle
        on={order.value === 'carried'}
        set={() => turn('carried')}
        title="By bytes times calls that had them (c)">
        carried
      </Toggle>
    </div>
  )
}

function Messages({ rows }: { rows: Rows }): JSX.Element {
  rows.version.value // shown again when rows have come
  const chosen = address.value.node
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [current, setCurrent] = useState(-1)
  const here = ordered.value === atName.value && chosen === offered.value ? -1 : rows.indexOf(chosen)
  const shown = here >= 0 ? here : current
  useEffect(() => {
    void reach(rows, chosen)
  }, [rows, chosen])

  const toggle = (i: number): void => {
    const node = rows.row(i)?.id
    if (node === undefined) return
    const next = new Set(open)
    if (!next.delete(node)) next.add(node)
    setOpen(next)
  }
  const pick = async (i: number, how: 'push' | 'replace'): Promise<void> => {
    setCurrent(i)
    if (!rows.row(i)) await rows.need(i, i)
    const row = rows.row(i)
    if (row) select(row.id, undefined, how)
  }
  const keyboard = useRef({ rows, shown, toggle, pick })
  keyboard.current = { rows, shown, toggle, pick }
  useKeys('Thread', keys(keyboard))
  const lit = matches.value
  const goes = planned.value
  const classOf = (i: number): string => {
    const row = rows.row(i)
    if (!row) return 'waits'
    return [
      row.new ? 'new' : 'pale',
      lit?.has(row.id) && 'lit',
      goes?.has(row.id) && 'goes',
      isCut(rows, i) && 'cut',
    ]
      .filter(Boolean)
      .join(' ')
  }
  return (
    <List
      id="thread"
      label={`Messages of ${atName.value}`}
      role="listbox"
      count={rows.total}
      of={rows}
      current={shown}
      estimate={(i) => messageHeight(rows.row(i))}
      onCurrent={(i, how) => {
        const node = how === 'push' && trying.peek() && rows.row(i)?.id
        if (node) mark(node)
        else void pick(i, how)
      }}
      onOpen={toggle}
      rowClass={classOf}
      onRange={(first, last) => void rows.need(first, last)}
      row={(i) => {
        const row = rows.row(i)
        if (!row) return <span class="faint">…</span>
        return (
          <>
            {isCut(rows, i) && <CutLine rows={rows} />}
            <Message
              row={row}
              before={rows.whole ? rows.row(i - 1) : undefined}
              open={open.has(row.id)}
              far={farFrom(rows, row, i)}
              carried={order.value === 'carried'}
              toggle={() => toggle(i)}
            />
          </>
        )
      }}
    />
  )
}

// reach makes the list come to a block that the address names and no page has brought yet.
async function reach(rows: Rows, node: string | null): Promise<void> {
  if (node === null || rows.indexOf(node) >= 0) return
  const answer = await nodeAt(rows.name, node, rows.query.at).catch(() => null)
  if (answer && rows.whole) await rows.need(answer.place, answer.place)
}

function isCut(rows: Rows, i: number): boolean {
  const start = rows.cut?.start
  const row = rows.row(i)
  if (start === undefined || !row || !rows.whole || row.start < start) return false
  return (rows.row(i - 1)?.start ?? -1) < start
}

/** The line across the list where this call stops repeating the one before. */
function CutLine({ rows }: { rows: Rows }): JSX.Element {
  const cut = rows.cut
  // The call says what was lost against the one before, whichever it is compared with here.
  const lost = vs.value === Number(at.value) - 1 ? call.value?.cut?.lost : undefined
  return (
    <div class="cut-line">
      <span class="cut-cause">
        prefix cut at byte {count(cut?.start ?? 0)}
        {cut?.cause ? ': ' + safe(cut.cause) : ''}
      </span>
      {lost !== undefined && <span>{bytes(lost)} behind it sent anew</span>}
    </div>
  )
}

/** The partner of a call or a result, if it does not stand next to it. */
function farFrom(rows: Rows, row: BlockRow, i: number): { node: string; word: string } | null {
  const partner = row.shown_kind === 'result' ? row.call : row.result
  if (!partner || rows.row(i - 1)?.id === partner || rows.row(i + 1)?.id === partner) return null
  const place = rows.whole ? rows.indexOf(partner) : -1
  const name = row.shown_kind === 'result' ? 'call' : 'result'
  if (place < 0) return { node: partner, word: row.shown_kind === 'result' ? '→ its call' : '→ its result' }
  const word = `${place < i ? '↑' : '↓'} ${name}, ${plural(Math.abs(place - i), 'block')}`
  return { node: partner, word }
}

function turn(by: 'bytes' | 'carried'): void {
  order.value = order.peek() === by ? 'place' : by
  ordered.value = atName.peek()
}

interface Keyboard {
  rows: Rows
  shown: number
  toggle: (i: number) => void
  pick: (i: number, how: 'push' | 'replace') => Promise<void>
}

function keys(now: { current: Keyboard }): Parameters<typeof useKeys>[1] {
  const toMatch = (step: number) => (): void => {
    const { rows, shown, pick } = now.current
    const lit = matches.peek()
    for (let i = shown + step; lit && i >= 0 && i < rows.total; i += step) {
      if (lit.has(rows.row(i)?.id ?? '')) return void pick(i, 'replace')
    }
  }
  return [
    { keys: ['l'], does: 'largest blocks first', run: () => turn('bytes') },
    { keys: ['c'], does: 'first what took most bytes in all calls so far', run: () => turn('carried') },
    { keys: ['f'], does: 'only failed calls and results', run: () => (failed.value = !failed.value) },
    { keys: ['e'], does: 'show all of the block, or its beginning', run: () => now.current.toggle(now.current.shown) },
    {
      keys: ['r'],
      does: 'from a call to its result, or back',
      run: () => {
        const row = now.current.rows.row(now.current.shown)
        const partner = row?.shown_kind === 'result' ? row.call : row?.result
        if (partner) select(partner, at.peek())
      },
    },
    { keys: ['n'], does: 'next block that the selector found', run: toMatch(1) },
    { keys: ['p'], does: 'block before that the selector found', run: toMatch(-1) },
  ]
}
