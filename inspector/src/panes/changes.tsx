export function Changes() {
  return <div class="pane-changes" />
}
