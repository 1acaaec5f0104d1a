import { api, type BlockPage, type BlockQuery, type BlockRow } from '../api'
import { type Loaded, useLoaded } from '../load'
import { Pages, pageSize } from './pages'

/** The blocks of a thread, as a list shows them: all or some kinds, in their order or by size. */
export class Rows extends Pages<BlockRow> {
  readonly name: string
  readonly query: BlockQuery
  sums: BlockPage['sums'] = []
  cut: BlockPage['cut']

  constructor(name: string, query: BlockQuery) {
    super(async (after, stop) => {
      const page = await api.blocks(name, { ...query, after, limit: pageSize }, stop)
      if (after === 0) [this.sums, this.cut] = [page.sums, page.cut]
      return page
    })
    this.name = name
    this.query = query
  }

  /** Whether the rows are the thread, block by block. */
  get whole(): boolean {
    return this.query.order !== 'bytes' && !this.query.kind && !this.query.failed && !this.query.q
  }
}

/** Fetches the rows of a thread. Those of the state before stay until the first ones have come. */
export function useRows(name: string, query: BlockQuery, turn = 0): Loaded<Rows> & { again: () => void } {
  return useLoaded(JSON.stringify([name, query, turn]), (stop) => new Rows(name, query).start(stop))
}
