import { SelectorBox } from '../selector/box'
import { address, atName, call, go, helpOpen, vsName } from '../state'

/** The bar at the top, and the sentence below it. */
export function Header() {
  return (
    <header class="head">
      <nav class="bar" aria-label="Context">
        <a href="/" class="bar-name" onClick={(e) => {
          e.preventDefault()
          go({ name: null })
        }}>{address.value.name}</a>
        <span class="bar-calls">{atName}{vsName.value && <> ⟷ {vsName}</>}</span>
        <SelectorBox />
        <button type="button" class="bar-help" aria-label="Keys" onClick={() => void (helpOpen.value = true)}>?</button>
      </nav>
      <h1 class="sentence" aria-live="polite">{call.value?.sentence}</h1>
    </header>
  )
}
