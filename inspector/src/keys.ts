// The keyboard. Each part of the screen registers its keys while it is shown, so that the
// table of keys, which ? opens, has exactly those that work.
import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

export interface Key {
  /** Names of keys as KeyboardEvent.key has them, with "shift+" before where it is held. */
  keys: string[]
  /** What they do. */
  does: string
  /** Does it. If it returns false there was nothing to do, and another part gets the key. */
  run: (pressed: KeyboardEvent) => unknown
}

interface Group {
  title: string
  keys: Key[]
}

/** The keys that work now, for the table of keys. */
export const groups = signal<Group[]>([])

/** Registers keys while a part of the screen is shown. */
export function useKeys(title: string, keys: Key[]): void {
  useLayoutEffect(() => {
    const group = { title, keys }
    groups.value = [...groups.peek(), group]
    return () => void (groups.value = groups.peek().filter((g) => g !== group))
  }, [])
}

/** Returns the name of a pressed key as Key.keys has it. */
export function keyName(pressed: KeyboardEvent): string {
  const arrow = pressed.key.startsWith('Arrow') || pressed.key === 'Enter'
  return (pressed.shiftKey && arrow ? 'shift+' : '') + pressed.key
}

addEventListener('keydown', (pressed) => {
  if (pressed.defaultPrevented || pressed.ctrlKey || pressed.metaKey || pressed.altKey || isTyping(pressed)) return
  const name = keyName(pressed)
  if (document.querySelector('dialog[open]') && name !== '?') return // it has the keyboard to itself
  // The part that came last is in front.
  for (const group of groups.peek().toReversed()) {
    const found = group.keys.find((k) => k.keys.includes(name))
    if (found && found.run(pressed) !== false) {
      pressed.preventDefault()
      return
    }
  }
})

/** Reports whether a key goes into a field. */
function isTyping(pressed: KeyboardEvent): boolean {
  const on = pressed.target
  return on instanceof HTMLInputElement || on instanceof HTMLTextAreaElement || on instanceof HTMLSelectElement
}
