import type { JSX } from 'preact'
import { api, type Life, type LifeEvent } from '../api'
import { useLoaded, type Loaded } from '../load'
import { address, context, select } from '../state'
import { line, safe } from '../text'
import { whyText } from './cause'
import { Safe } from './content'

/** Asks for the life of a node, and again when something happened in its context. */
export function useLife(id: string): Loaded<Life> & { again: () => void } {
  const name = address.value.name ?? ''
  const revision = context.value.value?.revision
  return useLoaded(id === '' ? null : JSON.stringify([name, id, revision]), (stop) => api.life(name, id, stop))
}

/** Who brought a block, in which cycle and with which message. */
export function Who({ cycle, by, message }: { cycle: number; by?: string; message?: string }): JSX.Element {
  return (
    <span>
      brought in @c{cycle}
      {by && (
        <>
          {' '}
          by <Safe text={by} />
        </>
      )}
      {message && (
        <>
          : <Safe text={line(message, 120)} />
        </>
      )}
    </span>
  )
}

/** Everything that happened to a node, the oldest first. Each cycle leads to its call. */
export function Events({ life }: { life: Life }): JSX.Element {
  return (
    <ol class="events">
      {life.events.map((event, i) => (
        <li key={i} data-what={event.what}>
          <button type="button" class="link" onClick={() => select(life.id, event.cycle)}>
            @c{event.cycle}
            {event.until ? `–@c${event.until}` : ''}
          </button>
          <span class="event-what">
            <Told event={event} />
          </span>
        </li>
      ))}
    </ol>
  )
}

function Told({ event }: { event: LifeEvent }): JSX.Element {
  const other =
    event.node === undefined ? null : (
      <button type="button" class="link" onClick={() => select(event.node ?? null)}>
        <Safe text={event.node} />
      </button>
    )
  const text = safe(whyText(event.cause, event.what === 'sealed' ? 'sealed' : 'edited'))
  const why = text === '' ? null : <span class="faint"> · {text}</span>
  const place = event.turn ?? event.parent_id ?? event.region ?? ''
  switch (event.what) {
    case 'born':
      return (
        <>
          came into {event.region ?? place}
          {other && <>, moved from {other}</>}
          {why}
        </>
      )
    case 'sealed':
      return (
        <>
          sealed into turn <Safe text={place} />
          {why}
        </>
      )
    case 'updated':
      return (
        <>
          changed: {event.fields?.map((f) => (f.name === 'content_hash' ? 'content' : f.name)).join(', ')}
          {why}
        </>
      )
    case 'moved':
      return (
        <>
          moved to <Safe text={place} />
          {why}
        </>
      )
    case 'attached':
      return (
        <>
          {other} came below it{why}
        </>
      )
    case 'detached':
      return (
        <>
          {other} left it{why}
        </>
      )
    case 'referred':
      return <>{other} refers to it</>
    case 'unreferred':
      return <>{other} refers to it no more</>
    case 'retained':
      return <>kept, because somebody held it{why}</>
    case 'held':
      return (
        <>
          kept{event.kept ? ` by ${event.kept}` : ''}
          {other && <> for {other}</>}
          {event.reason ? `, though ${event.reason} would remove it` : ''}
        </>
      )
    case 'removed':
      return (
        <>
          went{other && <>, and became {other}</>}
          {why}
        </>
      )
    case 'erased':
      return <>its content was erased{why}</>
    default:
      return (
        <>
          {event.what}
          {why}
        </>
      )
  }
}
