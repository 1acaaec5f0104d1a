import { loadContexts } from '../data'
import { Problem, Waiting } from '../parts'
import { contexts, go } from '../state'

/** The list of all contexts. */
export function Contexts() {
  const { state, value, failure } = contexts.value
  return (
    <main class="contexts">
      <h1>Contexts</h1>
      {failure && state === 'failed' && <Problem failure={failure} again={loadContexts} />}
      {!value && state === 'loading' && <Waiting what="the contexts" />}
      <ul>
        {value?.map((row) => (
          <li key={row.name}>
            <a href={'/c/' + encodeURIComponent(row.name)} onClick={(e) => {
              e.preventDefault()
              go({ name: row.name })
            }}>{row.name}</a>
          </li>
        ))}
      </ul>
    </main>
  )
}
