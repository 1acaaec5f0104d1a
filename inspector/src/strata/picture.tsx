/** The picture of all calls. */
export function Picture() {
  return <section class="strata" aria-label="Calls" />
}
