export function Thread() {
  return <div class="pane-thread" />
}
