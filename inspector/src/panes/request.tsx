import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { isElsewhere, parseVs, stateName } from '../address'
import { api } from '../api'
import { bytes, count } from '../format'
import { useLoaded } from '../load'
import { Copy, Problem, Toggle, Waiting } from '../parts'
import { address, atName, vsName } from '../state'
import { line } from '../text'
import { List } from '../virtual'
import { useAttempts } from './attempts'
import { Safe } from './content'
import { nodeAt } from './node'
import { parting, rawRows, rowAt, spans } from './raw'
import { fetchBytes, type Sent } from './sent'
import { Verify } from './verify'

const form = signal('canonical')
/** Whether the form of an API has the model and all parameters around its messages. */
const whole = signal(false)
const depth = 5 // model calls have messages of parts, and parts of parts

interface Compared {
  key: string
  sent: Sent
  /** The byte at which it stops repeating the call that it is compared with, -1 where nothing was cut. */
  cut: number
}

/** The bytes of the call in one form: raw, with a ruler, the cut and the selected block marked. */
export function Request(): JSX.Element {
  const [name, now, before] = [address.value.name ?? '', atName.value, vsName.value]
  const attempts = useAttempts().value
  const list: string[] = [...(attempts?.forms ?? ['canonical'])] // a file has no others
  attempts?.recorded?.forEach((id, i, all) => // verbatim is the last one
    list.push(all[i + 1] ? 'verbatim:' + id.split('-')[1] : 'verbatim'))
  const chosen = list.includes(form.value) ? form.value : 'canonical'
  const partial = chosen !== 'canonical' && !chosen.startsWith('verbatim')
  const asked = partial && whole.value ? chosen + '+whole' : chosen
  const key = JSON.stringify([name, now, before, asked])
  const loaded = useLoaded<Compared>(key, async (stop) => {
    const [sent, old] = await Promise.all([
      fetchBytes(name, now, asked, stop),
      before === undefined ? null : fetchState(name, before, asked, stop).catch(() => null),
    ])
    const part = old ? parting(old.bytes, sent.bytes) : -1
    // The closing bracket of the older thread is no part of what the newer one could repeat.
    const cut = old && part < old.bytes.length - closing(old.bytes) ? part : -1
    return { key, sent, cut: cut >= 0 && chosen === 'canonical' ? await cutOf(name, now, before, stop) : cut }
  })
  return (
    <div class="pane-rows pane-request" aria-busy={loaded.state === 'loading'}>
      <div class="pane-bar" role="toolbar" aria-label="Form of the request">
        <span class="forms">
          {list.map((f) => (
            <Toggle key={f} on={f === chosen} set={() => (form.value = f)}>
              {formName(f)}
            </Toggle>
          ))}
        </span>
        {partial && (
          <Toggle on={whole.value} set={(on) => (whole.value = on)} title="With model and parameters">
            whole request
          </Toggle>
        )}
        {loaded.value && <Tools sent={loaded.value.sent} name={`${name}-${now.replace('@', '')}-${asked}.json`} />}
      </div>
      {loaded.failure && loaded.state === 'failed' && <Problem failure={loaded.failure} again={loaded.again} />}
      {loaded.value ? (
        <Bytes
          key={loaded.value.key}
          sent={loaded.value.sent}
          cut={loaded.value.cut}
          canonical={chosen === 'canonical'}
          parts={chosen === 'canonical' ? 'prefix cut at byte' : `differs from ${before} from byte`}
        />
      ) : (
        loaded.state === 'loading' && <Waiting what="the bytes" />
      )}
      {loaded.value && <Verify name={name} sent={loaded.value.sent} />}
    </div>
  )
}

// fetchState is fetchBytes for a state that may be one of another context.
function fetchState(name: string, state: string, form: string, stop: AbortSignal): Promise<Sent> {
  const other = parseVs(state)
  return isElsewhere(other) ? fetchBytes(other.name, stateName(other.at), form, stop) : fetchBytes(name, state, form, stop)
}

// cutOf returns the byte at which the prefix of whole blocks ends. Beginnings of blocks, such as their
// first braces, are alike in all calls and no part of what a call repeats.
async function cutOf(name: string, at: string, vs: string | undefined, stop: AbortSignal): Promise<number> {
  return (await api.blocks(name, { at, vs, limit: 1 }, stop)).cut?.start ?? -1
}

function formName(form: string): string {
  return form.replace(':', ' of attempt ')
}

function closing(bytes: Uint8Array): number {
  let n = 0
  while (n < 2 && [0x5d, 0x7d].includes(bytes.at(-1 - n) ?? 0)) n++
  return n
}

function Tools({ sent, name }: { sent: Sent; name: string }): JSX.Element {
  const download = (): void => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([sent.bytes as Uint8Array<ArrayBuffer>]))
    link.download = name.replace(/[^\w.-]+/g, '_')
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return (
    <>
      <span class="faint">{bytes(sent.bytes.length)}</span>
      <Copy what="copy" text={() => decoder.decode(sent.bytes)} />
      <button type="button" onClick={download}>
        download
      </button>
    </>
  )
}

interface BytesProps {
  sent: Sent
  cut: number
  canonical: boolean
  /** What the cut is. Only canonical threads have all in common that does not differ. */
  parts: string
}

function Bytes({ sent, canonical, ...p }: BytesProps): JSX.Element {
  const parts = `${p.parts} ${count(p.cut)}`
  // The comma before a block belongs to the row before.
  const cut = sent.bytes[p.cut] === 0x2c ? p.cut + 1 : p.cut
  const [name, node, state] = [address.value.name ?? '', address.value.node, atName.value]
  const wide = useRowBytes()
  const starts = useMemo(() => rawRows(sent.bytes, wide, depth), [sent, wide])
  const where = useLoaded(node === null || !canonical ? null : JSON.stringify([name, node, state]), async (stop) => {
    const answer = await nodeAt(name, node ?? '', state, stop)
    return { node, start: answer?.start ?? -1, end: answer?.end ?? -1 }
  })
  const range = canonical && where.value?.node === node && where.value && where.value.start >= 0 ? where.value : null
  const [picked, pick] = useState(-1)
  useEffect(() => pick(-1), [node])
  const goal = picked >= 0 ? picked : range ? rowAt(starts, range.start) : cut >= 0 ? rowAt(starts, cut) : -1
  const endOf = (i: number): number => starts[i + 1] ?? sent.bytes.length
  return (
    <>
      <Marks cut={cut} parts={parts} range={range} show={(byte) => pick(rowAt(starts, byte))} />
      <List
        id="bytes"
        label="Bytes of the request"
        role="listbox"
        count={starts.length}
        of={starts}
        current={goal}
        estimate={() => 20}
        onCurrent={pick}
        row={(i) => {
          const from = starts[i] as number
          const cutHere = cut >= from && cut < endOf(i)
          return (
            <>
              {cutHere && cut === from && <div class="cut-line">{parts}</div>}
              <div class={'raw ' + (cut >= 0 && from >= cut ? 'behind' : '')}>
                <span class="ruler">{count(from)}</span>
                <code class="raw-text">
                  {spans(from, endOf(i), cut < 0 ? Infinity : cut, range ? [range.start, range.end] : null).map(
                    (part) => (
                      <>
                        {cutHere && part.from === cut && cut > from && (
                          <span class="cut-here" title={parts} />
                        )}
                        <span
                          key={part.from}
                          class={`${part.selected ? 'selected' : ''} ${part.behind && from < cut ? 'behind' : ''}`}>
                          <Safe text={decode(sent.bytes, part.from, part.to)} />
                        </span>
                      </>
                    ),
                  )}
                </code>
              </div>
            </>
          )
        }}
      />
    </>
  )
}

interface MarksProps {
  cut: number
  parts: string
  range: { node: string | null; start: number; end: number } | null
  show: (byte: number) => void
}

/** Where the cut and the selected block are; each leads there. */
function Marks({ cut, parts, range, show }: MarksProps): JSX.Element | null {
  if (cut < 0 && !range) return null
  return (
    <p class="marks">
      {cut >= 0 && (
        <button type="button" class="link mark-of-cut" onClick={() => show(cut)}>
          {parts}
        </button>
      )}
      {range && (
        <button type="button" class="link" onClick={() => show(range.start)}>
          <Safe text={line(range.node ?? '', 40)} />: bytes {count(range.start)}–{count(range.end)}
        </button>
      )}
    </p>
  )
}

// useRowBytes returns how many bytes of plain text fit beside the ruler, in steps of eight.
function useRowBytes(): number {
  const measured = (): number => {
    const width = document.getElementById('pane')?.clientWidth ?? 640
    return Math.max(24, Math.floor((width - (width < 640 ? 84 : 110)) / 7.3 / 8) * 8)
  }
  const [n, set] = useState(measured)
  useEffect(() => {
    const resized = (): void => set(measured())
    addEventListener('resize', resized)
    return () => removeEventListener('resize', resized)
  }, [])
  return n
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true }) // a mark of the byte order is a byte like others

function decode(all: Uint8Array, from: number, to: number): string {
  return decoder.decode(all.subarray(from, to))
}
