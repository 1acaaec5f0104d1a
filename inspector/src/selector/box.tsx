export function SelectorBox() {
  return <div class="selector-box" />
}
