import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { api, type Attempt } from '../api'
import { count } from '../format'
import { useLoaded } from '../load'
import { Nothing, Problem, Waiting } from '../parts'
import { address, atName, attemptsTurn, call, context } from '../state'
import { safe } from '../text'
import { Safe } from './content'

/** Loads the attempts of the call that is shown. */
export function useAttempts() {
  const [name, shown] = [address.value.name ?? '', atName.value]
  const cycle = shown === 'working' ? (context.value.value?.last_cycle ?? 0) + 1 : +shown.slice(2)
  return useLoaded(JSON.stringify([name, cycle, attemptsTurn.value]), (stop) => api.attempts(name, cycle, cycle, stop))
}

/** The attempts of the cycle: what was asked, what the provider counted, how it ended. */
export function Attempts(): JSX.Element {
  const loaded = useAttempts()
  if (loaded.failure && loaded.state === 'failed') return <Problem failure={loaded.failure} again={loaded.again} />
  if (!loaded.value) return <Waiting what="the attempts" />
  const list = loaded.value.items
  if (list.length === 0) {
    return (
      <Nothing>
        No attempt was recorded for {atName.value}. <code>pact run</code>, <code>pact proxy</code> and imports record
        them.
      </Nothing>
    )
  }
  return (
    <div class="pane-attempts">
      <table>
        <thead>
          <tr>
            <th>status</th>
            <th>model</th>
            <th class="number">tokens in</th>
            <th class="number">cached</th>
            <th class="number">out</th>
            <th>began</th>
            <th class="number">took</th>
          </tr>
        </thead>
        <tbody>
          {list.map((attempt) => (
            <Row key={attempt.attempt_id} attempt={attempt} last={attempt === list.at(-1)} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ attempt, last }: { attempt: Attempt; last: boolean }): JSX.Element {
  const cached = last ? call.value?.attempts?.cached : undefined
  const { started_at: from, ended_at: to } = attempt
  return (
    <>
      <tr data-status={attempt.status}>
        <td class="status" title={safe(attempt.attempt_id)}>
          {attempt.status}
        </td>
        <td>
          <Safe text={attempt.model} />
          {attempt.provider !== 'unknown' && (
            <span class="attempt-provider">
              <Safe text={attempt.provider} />
            </span>
          )}
        </td>
        <td class="number">{number(attempt.token_in)}</td>
        <td class="number">{number(cached)}</td>
        <td class="number">{number(attempt.token_out)}</td>
        <td>{isTime(from) ? <Began at={from} /> : '–'}</td>
        <td class="number">
          {to === null ? <Ticking since={from} /> : isTime(from) ? duration(Date.parse(to) - Date.parse(from)) : '–'}
        </td>
      </tr>
      {attempt.error && (
        <tr class="attempt-error">
          <td colSpan={7}>
            <Safe text={attempt.error} />
          </td>
        </tr>
      )}
    </>
  )
}

/** A moment: its time, and below it its day. */
function Began({ at }: { at: string }): JSX.Element {
  return (
    <time dateTime={at}>
      {at.slice(11, 19)} <span class="attempt-day">{at.slice(0, 10)}</span>
    </time>
  )
}

function Ticking({ since }: { since: string }): JSX.Element {
  const [now, tick] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => tick(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  return (
    <span class="ticking" role="timer">
      {duration(Math.max(0, now - Date.parse(since)))}
    </span>
  )
}

function duration(ms: number): string {
  if (ms < 60_000) return (ms / 1000).toFixed(1) + '\u2009s'
  return Math.floor(ms / 60_000) + '\u2009min ' + Math.floor((ms % 60_000) / 1000) + '\u2009s'
}

// An import that knows no time writes the beginning of 1970.
function isTime(text: string): boolean {
  return Date.parse(text) > 86_400_000
}

function number(n: number | null | undefined): string {
  return n == null ? '–' : count(n)
}
