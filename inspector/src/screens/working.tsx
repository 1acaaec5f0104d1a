import type { ComponentType } from 'preact'
import type { View } from '../address'
import { loadContext } from '../data'
import { useKeys } from '../keys'
import { Attempts } from '../panes/attempts'
import { Block } from '../panes/block'
import { Changes } from '../panes/changes'
import { Cost } from '../panes/cost'
import { Request } from '../panes/request'
import { Thread } from '../panes/thread'
import { Tree } from '../panes/tree'
import { History } from '../panes/history'
import { Link, Nothing, Problem } from '../parts'
import { Header } from './header'
import { Picture } from '../strata/picture'
import { address, context, go, missing, offered, select } from '../state'
import { safe } from '../text'
import { WhatIf } from './whatif'

const panes: { view: View; title: string; pane: ComponentType }[] = [
  { view: 'thread', title: 'Thread', pane: Thread },
  { view: 'tree', title: 'Tree', pane: Tree },
  { view: 'changes', title: 'Changes', pane: Changes },
  { view: 'request', title: 'Request', pane: Request },
  { view: 'attempts', title: 'Attempts', pane: Attempts },
  { view: 'cost', title: 'Cost', pane: Cost },
]

/** The one working screen: a sentence, the picture, and panes that follow what is selected. */
export function Working() {
  const { view, name, node } = address.value
  useKeys('Panes', [
    ...panes.map((p, i) => ({
      keys: [String(i + 1)], does: p.title.toLowerCase(), run: () => go({ view: p.view }),
    })),
    // The lists themselves take these, and the browser the last.
    { keys: ['ArrowUp', 'ArrowDown'], does: 'choose a row, in a list', run: () => false },
    { keys: ['PageUp', 'PageDown'], does: 'the same, a page further', run: () => false },
    { keys: ['Enter'], does: 'open the row, or what is folded', run: () => false },
    { keys: ['Tab'], does: 'to the next part of the screen', run: () => false },
  ])
  if (context.value.state === 'failed' && !context.value.value) {
    return (
      <main class="alone">
        <h1>{safe(name!)}</h1>
        <Problem failure={context.value.failure!} again={() => loadContext(name!)} />
        <p><Link to={{}}>All contexts</Link></p>
      </main>
    )
  }
  if (view === 'block') return <BlockPage />
  const Shown = panes.find((p) => p.view === view)!.pane
  return (
    <main class="working">
      <Header />
      <Picture />
      <WhatIf />
      <div class="below" data-block={node !== null}>
        <section class="left">
          <div class="tabs" role="tablist" aria-label="Panes">
            {panes.map((p, i) => (
              <button key={p.view} type="button" role="tab" id={'tab-' + p.view} aria-selected={p.view === view}
                aria-controls="pane" onClick={() => go({ view: p.view })}><kbd>{i + 1}</kbd>{p.title}</button>
            ))}
          </div>
          <div class="pane" role="tabpanel" id="pane" tabIndex={0} aria-labelledby={'tab-' + view}>
            {missing.value ? <Nothing>There is no such call.</Nothing> : context.value.value && <Shown />}
          </div>
        </section>
        <section class="right" aria-label="Block" data-open={node !== null && node !== offered.value}>
          <button type="button" class="sheet-close" onClick={() => select(null)}>Close</button>
          {context.value.value && !missing.value && <Block />}
        </section>
      </div>
    </main>
  )
}

/** The page of one block: its life, every version, every call that carried it. */
function BlockPage() {
  return (
    <main class="block-page">
      <Header />
      {context.value.value && <div class="block-columns"><Block /><History /></div>}
    </main>
  )
}
