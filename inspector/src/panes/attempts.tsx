export function Attempts() {
  return <div class="pane-attempts" />
}
