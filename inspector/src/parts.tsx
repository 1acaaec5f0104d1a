// Small pieces that several screens use.
import { type Failure, unreachable } from './api'
import { safe } from './text'

/** Says what went wrong, where, and what to do about it. */
export function Problem({ failure, again }: { failure: Failure; again?: () => void }) {
  return (
    <div class="problem" role="alert">
      <p class="problem-what">
        {safe(failure.message)}
        {failure.code !== unreachable && <code>{failure.code}</code>}
      </p>
      {failure.status === 401
        ? <p>Open the address that <code>pact serve</code> or <code>pact open</code> printed last.</p>
        : failure.details?.remedy && <p>{safe(sentence(failure.details.remedy))}</p>}
      {again && <button type="button" onClick={again}>Try again</button>}
    </div>
  )
}

/** Says that an answer is on its way. The bar appears only if that takes a while. */
export function Waiting({ what }: { what: string }) {
  return <p class="waiting" role="status"><span class="waiting-bar" aria-hidden="true" />Loading {what}…</p>
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.?!]$/.test(text) ? '' : '.')
}
