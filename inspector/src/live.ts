// Follows what happens to the context that is shown.
import { effect } from '@preact/signals'
import { Failure } from './api'
import { loadContext, loadFamily, refreshContext } from './data'
import { askAgain } from './load'
import { attemptsTurn, connection, context, embedded, follow, following, name } from './state'

/** How long to wait before a lost connection is tried again. */
const pause = 2000

/** What an event of the log says. */
interface Entry {
  kind: string
  cycle: number
  revision: number
}

let started = false

/** Starts to follow, and keeps following whatever context is shown. */
export function startFollowing(): void {
  if (started) return
  started = true
  if (embedded) return void (connection.value = 'file')
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
  const lost = (why: 'lost' | 'locked' = 'lost') => {
    source?.close()
    connection.value = why
    clearTimeout(timer)
    timer = setTimeout(async () => {
      // An event source does not say why it failed; an ordinary request does.
      try {
        await refreshContext(shown)
      } catch (problem) {
        const status = problem instanceof Failure ? problem.status : 0
        if (status === 404) connection.value = 'over'
        else if (!ended) lost(status === 401 ? 'locked' : 'lost')
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
      askAgain()
    }
    source.onerror = () => lost()
    for (const kind of ['create', 'edit', 'commit', 'fork', 'aside']) on(kind, (text) => apply(JSON.parse(text)))
    on('commit', () => void loadFamily(shown))
    on('attempt', () => void attemptsTurn.value++)
    for (const kind of ['erase', 'gap', 'replaced']) on(kind, () => loadContext(shown))
    on('failed', () => lost())
    on('deleted', () => {
      end()
      connection.value = 'over'
    })
  }
  // A browser opens six connections to a server, over all tabs, and a stream holds one. So a
  // page that nobody sees gives its own up, and so does one that the browser keeps to go back to.
  const turn = (hidden: boolean) => {
    if (ended) return
    clearTimeout(timer)
    source?.close()
    if (!hidden) open()
  }
  const control = new AbortController()
  document.addEventListener('visibilitychange', () => turn(document.hidden), { signal: control.signal })
  addEventListener('pagehide', () => turn(true), { signal: control.signal })
  addEventListener('pageshow', (e) => e.persisted && turn(false), { signal: control.signal })
  connection.value = 'connecting'
  if (!document.hidden) open()
  return () => {
    end()
    control.abort()
  }
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
