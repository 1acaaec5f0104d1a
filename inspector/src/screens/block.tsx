import { Block } from '../panes/block'
import { Header } from './header'

/** The page of one block: its life, every version, every call that carried it. */
export function BlockPage() {
  return <main class="block-page"><Header /><Block /></main>
}
