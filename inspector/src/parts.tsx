// Small pieces that several screens use.
import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { type Address, nowhere } from './address'
import { type Failure, unreachable } from './api'
import { SignIn } from './screens/door'
import { go, linkTo } from './state'
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
        ? <SignIn />
        : failure.details?.remedy && <p>{safe(sentence(failure.details.remedy))}</p>}
      {again && <button type="button" onClick={again}>Try again</button>}
    </div>
  )
}

/** A link to another page of the inspector. It opens here, or with a modifier in a new tab. */
export function Link({ to, before, ...rest }: { to: Partial<Address>; before?: () => void } &
  Omit<JSX.IntrinsicElements['a'], 'role' | 'href'>) {
  const target = { ...nowhere, ...to }
  const follow = (event: MouseEvent) => {
    event.stopPropagation()
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    before?.()
    go(target)
  }
  return <a href={linkTo(target)} {...rest} onClick={follow} />
}

/** Says that an answer is on its way. The bar appears only if that takes a while. */
export function Waiting({ what }: { what: string }) {
  return <p class="waiting" role="status"><span class="waiting-bar" aria-hidden="true" />Loading {what}…</p>
}

/** What stands where there is nothing to show, and why. */
export function Nothing({ children }: { children: ComponentChildren }): JSX.Element {
  return <div class="nothing">{children}</div>
}

/** The colour and hatching of a kind of block. */
export function Swatch({ kind }: { kind: string }): JSX.Element {
  return <span class="swatch" data-kind={kind} aria-hidden="true" />
}

/** A button that copies a text and says whether it could. */
export function Copy({ what, text }: { what: string; text: () => string | Promise<string> }): JSX.Element {
  const [said, say] = useState('')
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(await text())
      say('copied')
    } catch {
      say('the browser refused')
    }
    setTimeout(() => say(''), 1500)
  }
  return (
    <button type="button" class="copy" onClick={() => void copy()}>
      {what}
      <span class="copied" role="status">
        {said && ' · ' + said}
      </span>
    </button>
  )
}

/** A button that stays pressed. */
export function Toggle({
  on,
  set,
  title,
  children,
}: {
  on: boolean
  set: (on: boolean) => void
  title?: string
  children: ComponentChildren
}): JSX.Element {
  return (
    <button type="button" class="toggle" aria-pressed={on} title={title} onClick={() => set(!on)}>
      {children}
    </button>
  )
}

/** The part of a block whose content was erased: a hatched band with its mark. */
export function Erased({ mark }: { mark?: string }): JSX.Element {
  return (
    <div class="erased">
      <span>erased{mark ? ' · ' + safe(mark) : ''}</span>
    </div>
  )
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.?!]$/.test(text) ? '' : '.')
}
