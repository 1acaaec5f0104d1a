// Follows what happens to the context that is shown.
import { effect } from '@preact/signals'
import { Failure } from './api'
import { loadContext, refreshContext } from './data'
import { attemptsTurn, connection, context, follow, following, name } from './state'

/** How long to wait before a lost connection is tried again. */
const pause = 2000

/** What an event of the log says. */
interface Entry {
  kind: string
  cycle: number
  revision: number
}

/** Starts to follow, and keeps following whatever context is shown. */
export function startFollowing(): void {
  effect(() => {
    const shown = name.value
    if (shown === null) return
    return listen(shown)
  })
}

function listen(shown: string): () => void {
  let source: EventSource | null = null
  let timer = 0
  let ended = false
  let opened = false
  const end = () => {
    ended = true
    clearTimeout(timer)
    source?.close()
  }
  const lost = () => {
    source?.close()
    connection.value = 'lost'
    clearTimeout(timer)
    timer = setTimeout(async () => {
      // An event source does not say why it failed; an ordinary request does.
      try {
        await refreshContext(shown)
      } catch (problem) {
        if (problem instanceof Failure && problem.status === 401) connection.value = 'locked'
        if (problem instanceof Failure && problem.status === 404) return void (connection.value = 'over')
        if (!ended) lost()
        return
      }
      if (!ended) open()
    }, pause)
  }
  const open = () => {
    source = new EventSource('/v1/events?context=' + encodeURIComponent(shown))
    const on = (kind: string, run: (text: string) => void) =>
      source!.addEventListener(kind, (e) => run((e as MessageEvent<string>).data))
    source.onopen = () => {
      connection.value = 'live'
      // What happened while nobody listened is in no event.
      if (opened) void refreshContext(shown).catch(() => {})
      opened = true
    }
    source.onerror = lost
    for (const kind of ['create', 'edit', 'commit', 'fork', 'aside']) on(kind, (text) => apply(JSON.parse(text)))
    on('attempt', () => void attemptsTurn.value++)
    for (const kind of ['erase', 'gap', 'replaced']) on(kind, () => loadContext(shown))
    on('failed', lost)
    on('deleted', () => {
      end()
      connection.value = 'over'
    })
  }
  connection.value = 'connecting'
  open()
  return end
}

/** Takes an entry of the log into the context that is shown. */
function apply(entry: Entry): void {
  const known = context.peek().value
  if (!known || entry.revision <= known.revision) return
  const last = entry.kind === 'commit' ? entry.cycle : known.last_cycle
  context.value = { state: 'ready', value: { ...known, revision: entry.revision, last_cycle: last } }
  attemptsTurn.value++
  if (following.peek()) follow()
}
