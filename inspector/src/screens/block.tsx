import { Block } from '../panes/block'
import { History } from '../panes/history'
import { context } from '../state'
import { Header } from './header'

/** The page of one block: its life, every version, every call that carried it. */
export function BlockPage() {
  return (
    <main class="block-page">
      <Header />
      {context.value.value && <div class="block-columns"><Block /><History /></div>}
    </main>
  )
}
