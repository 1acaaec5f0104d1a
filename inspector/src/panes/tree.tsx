export function Tree() {
  return <div class="pane-tree" />
}
