import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { count } from '../format'
import { safe } from '../text'

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

/** Writes a number and a noun that agrees with it. */
export function plural(n: number, noun: string, many = noun + 's'): string {
  return count(n) + ' ' + (n === 1 ? noun : many)
}
