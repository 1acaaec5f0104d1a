export function Request() {
  return <div class="pane-request" />
}
