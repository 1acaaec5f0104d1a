export function Block() {
  return <div class="pane-block" />
}
