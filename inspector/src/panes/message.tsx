import type { JSX } from 'preact'
import type { BlockRow } from '../api'
import { bytes, plural } from '../format'
import { useLoaded } from '../load'
import { Erased, Link, Problem, Swatch } from '../parts'
import { address, atName, begunAt, select } from '../state'
import { line } from '../text'
import { Content, Safe } from './content'
import { nodeAt } from './node'

const inRow = 20_000 // characters of an opened row; the block pane has the rest

interface Props {
  row: BlockRow
  before: BlockRow | undefined
  open: boolean
  far: { node: string; word: string } | null
  /** Whether to say how many calls carried it. */
  carried: boolean
  toggle: () => void
}

/** One block of the thread: who speaks, what kind it is, its first words or all of them. */
export function Message({ row, before, open, far, carried, toggle }: Props): JSX.Element {
  const speaks = row.shown_role ?? ''
  const again = before !== undefined && (before.shown_role ?? '') === speaks
  const joined = row.shown_kind === 'result' && row.call !== undefined && before?.id === row.call
  const began = begunAt(row.id)
  const bare = row.shown_kind === speaks && !row.tool && !row.failed && !row.stub && !far && began.length === 0
  return (
    <div class={`message ${joined ? 'joined' : ''} ${bare ? 'bare' : ''}`} data-kind={row.shown_kind}>
      <span class="message-role">{again ? '' : <Safe text={speaks || '—'} />}</span>
      <Swatch kind={row.shown_kind} />
      {!bare && (
        <span class="message-head">
          <span class="message-kind">{row.shown_kind.replace('_', ' ')}</span>
          {row.tool && (
            <span class="message-tool">
              <Safe text={line(row.tool, 60)} />
            </span>
          )}
          {row.failed && <span class="failed">failed</span>}
          {row.stub && <span class="stub">stub</span>}
          {began.map((child) => (
            <Link key={child} class="far" to={{ name: child }}>
              ↳ {line(child, 40)}
            </Link>
          ))}
          {far && (
            <span
              class="far"
              onClick={(event) => {
                event.stopPropagation()
                select(far.node)
              }}>
              {far.word}
            </span>
          )}
        </span>
      )}
      <span class="message-size">{row.tokens === undefined ? bytes(row.bytes) : plural(row.tokens, 'token')}{carried && ` × ${plural(row.calls, 'call')}`}</span>
      {row.erased ? (
        <Erased />
      ) : open ? (
        <Whole row={row} />
      ) : (
        <span class="message-first">
          <Safe text={row.first} />
        </span>
      )}
      <span
        class="message-toggle"
        title={open ? 'Show the beginning (e)' : 'Show all (e)'}
        onClick={(event) => {
          event.stopPropagation()
          toggle()
        }}>
        {open ? '▾' : '▸'}
      </span>
    </div>
  )
}

function Whole({ row }: { row: BlockRow }): JSX.Element {
  const [name, at] = [address.value.name ?? '', atName.value]
  const loaded = useLoaded(JSON.stringify([name, row.id, at]), (stop) => nodeAt(name, row.id, at, stop))
  if (loaded.failure) return <Problem failure={loaded.failure} again={loaded.again} />
  if (!loaded.value)
    return (
      <span class="message-first">
        <Safe text={row.first} />
      </span>
    )
  const text = loaded.value.text ?? ''
  const all = loaded.value.complete && text.length <= inRow
  return (
    <div class="message-whole">
      <Content text={text.slice(0, inRow)} json={all && loaded.value.content_form === 'json'} />
      {!all && <p class="faint">The block at the right has all {bytes(row.bytes)}.</p>}
    </div>
  )
}

/** Guesses how high a row will be, until it is drawn and measured. */
export function messageHeight(row: BlockRow | undefined): number {
  return row === undefined || row.first.length < 70 ? 27 : 45
}
