import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { api, type Life, type LifeEvent } from '../api'
import { bytes, plural } from '../format'
import { useLoaded } from '../load'
import { Nothing, Problem, Waiting } from '../parts'
import { address, at, callOf, go, lastCycle } from '../state'
import { safe } from '../text'
import { whyText } from './cause'
import { Safe } from './content'
import { Events, useLife } from './life'

/** The page of a block beside its content: every version, its life, every call that carried it. */
export function History(): JSX.Element {
  const id = address.value.node
  const life = useLife(id ?? '')
  if (id === null) return <Nothing>The address names no block.</Nothing>
  if (life.failure && life.state === 'failed') return <Problem failure={life.failure} again={life.again} />
  if (!life.value || life.value.id !== id) return <Waiting what="the life of the block" />
  return (
    <div class="history">
      <Versions life={life.value} />
      <h2>Life</h2>
      <Events life={life.value} />
      <Calls life={life.value} />
    </div>
  )
}

interface Version {
  cycle: number
  until: number
  event: LifeEvent
}

// versionsOf returns what the node was: a version begins where it came and where an edit changed it.
function versionsOf(life: Life): Version[] {
  const begins = life.events.filter((e) => (e.what === 'born' || e.what === 'updated') && !e.draft)
  return begins.map((event, i) => {
    const next = begins[i + 1]
    return { event, cycle: event.cycle, until: next ? next.cycle - 1 : (life.last_snapshot ?? event.cycle) }
  })
}

function Versions({ life }: { life: Life }): JSX.Element {
  const versions = versionsOf(life)
  return (
    <>
      <h2>{plural(versions.length, 'version')}</h2>
      <ol class="versions">
        {versions.map((version, i) => (
          <VersionLine key={i} life={life} version={version} number={i + 1} />
        ))}
      </ol>
    </>
  )
}

function VersionLine({ life, version, number }: { life: Life; version: Version; number: number }): JSX.Element {
  const [open, setOpen] = useState(false)
  const { cycle, until, event } = version
  const why = safe(whyText(event.cause, 'edited'))
  const content = event.fields?.some((f) => f.name === 'content_hash') ?? false
  return (
    <li>
      <span class="version-number">{number}</span>
      <Call cycle={cycle} stay />
      {until > cycle && (
        <>
          to <Call cycle={until} stay />
        </>
      )}
      <span class="event-what">
        {event.what === 'born' ? 'came' : (event.fields ?? []).map((f) => changed(f)).join(', ')}
        {why !== '' && <span class="faint"> · {why}</span>}
      </span>
      {content && (
        <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          difference
        </button>
      )}
      {open && <Difference id={life.id} cycle={cycle} />}
    </li>
  )
}

function changed(field: { name: string; previous: unknown; new: unknown }): string {
  if (field.name === 'content_hash') return 'content'
  return safe(`${field.name} ${JSON.stringify(field.previous)} → ${JSON.stringify(field.new)}`)
}

/** What an edit changed in the content, word by word. */
function Difference({ id, cycle }: { id: string; cycle: number }): JSX.Element {
  const name = address.value.name ?? ''
  const loaded = useLoaded(JSON.stringify([name, id, cycle]), (stop) =>
    api.richDiff(name, `@c${cycle - 1}`, `@c${cycle}`, stop, `[id='${id.replace(/['\\]/g, '\\$&')}']`),
  )
  if (loaded.failure) return <Problem failure={loaded.failure} again={loaded.again} />
  if (!loaded.value) return <Waiting what="the difference" />
  const found = loaded.value.components_modified.find((m) => m.id === id)?.content_diff
  if (!found?.hunks) return <p class="faint">The contents cannot be compared word by word.</p>
  return (
    <p class="difference">
      {found.hunks.map((hunk, i) =>
        hunk.op === 'keep' ? (
          <Safe key={i} text={shortened(hunk.text)} />
        ) : hunk.op === 'del' ? (
          <del key={i}>
            <Safe text={hunk.text} />
          </del>
        ) : (
          <ins key={i}>
            <Safe text={hunk.text} />
          </ins>
        ),
      )}
    </p>
  )
}

const keptAround = 80 // characters of a kept run that stay at both ends

function shortened(text: string): string {
  return text.length <= 3 * keptAround ? text : `${text.slice(0, keptAround)} ⋯ ${text.slice(-keptAround)}`
}

const mostCalls = 600 // more are counted and not listed

/** Every call that carried the node, each with the size of its thread. */
function Calls({ life }: { life: Life }): JSX.Element | null {
  const { first_snapshot: first, last_snapshot: last } = life
  if (first === null || last === null) return <Nothing>No call carried it.</Nothing>
  const list = Array.from({ length: Math.min(mostCalls, last - first + 1) }, (_, i) => first + i)
  return (
    <>
      <h2>
        In {plural(last - first + 1, 'call')} of {lastCycle.value}
      </h2>
      <ul class="carried">
        {list.map((cycle) => (
          <li key={cycle}>
            <Call cycle={cycle} />
          </li>
        ))}
      </ul>
      {last - first + 1 > mostCalls && (
        <p class="faint">
          and the others up to <Call cycle={last} />
        </p>
      )}
    </>
  )
}

/** A call; it leads to the working screen with the block selected, or shows the block of that call here. */
function Call({ cycle, stay }: { cycle: number; stay?: boolean }): JSX.Element {
  const size = callOf(cycle)?.bytes
  return (
    <button
      type="button"
      class="link"
      aria-current={stay && at.value === cycle ? 'true' : undefined}
      title={stay ? 'Show this version' : size === undefined ? undefined : `a thread of ${bytes(size)}`}
      onClick={() => go(stay ? { at: cycle } : { at: cycle, view: 'thread' })}>
      @c{cycle}
    </button>
  )
}
