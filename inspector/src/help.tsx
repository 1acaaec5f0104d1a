import { useEffect, useRef } from 'preact/hooks'
import { groups, useKeys } from './keys'
import { helpOpen } from './state'
import { marks } from './strata/marks'

/** The table of keys and marks, which ? opens. */
export function Help() {
  const dialog = useRef<HTMLDialogElement>(null)
  useKeys('Everywhere', [{ keys: ['?'], does: 'show these keys and marks', run: () => void (helpOpen.value = !helpOpen.value) }])
  useEffect(() => (helpOpen.value ? dialog.current?.showModal() : dialog.current?.close()), [helpOpen.value])
  return (
    <dialog ref={dialog} class="help" aria-label="Keys and marks" onClose={() => void (helpOpen.value = false)}>
      <form method="dialog"><h2>Keys and marks</h2><button type="submit">Close</button></form>
      <div class="help-groups">
        {groups.value.map((group) => (
          <section key={group.title}>
            <h3>{group.title}</h3>
            <dl>
              {group.keys.map((key) => (
                <div key={key.does}>
                  <dt>{key.keys.map((name) => <kbd key={name}>{shownName(name)}</kbd>)}</dt>
                  <dd>{key.does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        {helpOpen.value && (
          <section>
            <h3>Marks</h3>
            <dl>
              {Object.entries(marks).map(([mark, means]) => <div key={mark}><dt><i class={'mark-' + mark} /></dt><dd>{means}</dd></div>)}
            </dl>
          </section>
        )}
      </div>
    </dialog>
  )
}

function shownName(name: string): string {
  const names: Record<string, string> = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', ' ': 'space' }
  return name.replace(/(Arrow\w+| )$/, (key) => names[key] ?? key)
}
