import { signal } from '@preact/signals'
import { api, type BlockPage, type BlockQuery, type BlockRow } from '../api'
import { failureOf, type Loaded, useLoaded } from '../load'

const pageSize = 200

/**
 * The blocks of a thread, fetched in pages as a list shows them. In the order of the thread any page
 * can be fetched by its place; filtered or sorted rows come one page after the other.
 */
export class Rows {
  /** Counts up whenever rows have come, for those who show them. */
  readonly version = signal(0)
  readonly failure = signal<Loaded<never>['failure']>(undefined)
  readonly query: BlockQuery
  readonly name: string
  total = 0
  sums: BlockPage['sums'] = []
  cut: BlockPage['cut']
  private readonly list: BlockRow[] = []
  private readonly asked = new Set<string | number>()
  private readonly byPlace: boolean
  private next: string | number | undefined
  private length = 0

  constructor(name: string, query: BlockQuery) {
    this.name = name
    this.query = { limit: pageSize, ...query }
    this.byPlace = !query.kind && !query.failed && !query.q && query.order !== 'bytes'
  }

  /** Fetches the first page; the list can be shown then. */
  async start(stop: AbortSignal): Promise<this> {
    this.take(await api.blocks(this.name, this.query, stop), 0)
    return this
  }

  /** Returns a row, if it has come. */
  row(i: number): BlockRow | undefined {
    return this.list[i]
  }

  /** Returns the index of a block among the rows that have come, or -1. */
  indexOf(node: string | null): number {
    return node === null ? -1 : this.list.findIndex((row) => row?.node === node)
  }

  /** Returns the rows that have come from the first one on, without a gap. */
  loaded(): BlockRow[] {
    let end = 0
    while (end < this.list.length && this.list[end]) end++
    return this.list.slice(0, end)
  }

  /** Whether all rows have come. */
  get complete(): boolean {
    return this.length >= this.total
  }

  /** Fetches what is missing of a span of rows. */
  async need(first: number, last: number): Promise<void> {
    try {
      if (this.byPlace) await this.pagesOf(first, last)
      else await this.pagesTo(last)
    } catch (problem) {
      this.failure.value = failureOf(problem)
    }
  }

  /** Fetches pages until the row of a block has come, and returns its index, -1 if there is none. */
  async find(node: string, start: number): Promise<number> {
    if (!this.byPlace) return this.indexOf(node)
    let [low, high] = [0, this.total - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      await this.need(middle, middle)
      const row = this.list[middle]
      if (!row) return -1
      if (row.start < start) low = middle + 1
      else high = middle
    }
    await this.need(low, low)
    return this.indexOf(node)
  }

  private async pagesOf(first: number, last: number): Promise<void> {
    const waiting: Promise<void>[] = []
    for (let page = Math.floor(first / pageSize); page * pageSize <= last && page * pageSize < this.total; page++) {
      const from = page * pageSize
      if (this.list[from] && this.list[Math.min(from + pageSize, this.total) - 1]) continue
      waiting.push(this.fetch(from, this.list[0]!.place + from - 1))
    }
    await Promise.all(waiting)
  }

  private async pagesTo(last: number): Promise<void> {
    while (this.length <= last && this.next !== undefined && !this.asked.has(this.next)) {
      await this.fetch(this.length, this.next)
    }
  }

  private async fetch(from: number, after: string | number): Promise<void> {
    if (this.asked.has(after)) return
    this.asked.add(after)
    try {
      this.take(await api.blocks(this.name, { ...this.query, after }), from)
    } catch (problem) {
      this.asked.delete(after)
      throw problem
    }
  }

  private take(page: BlockPage, from: number): void {
    page.items.forEach((row, i) => {
      if (!this.list[from + i]) this.length++
      this.list[from + i] = row
    })
    this.total = Math.max(page.total, this.length)
    this.next = page.next
    if (from === 0) [this.sums, this.cut] = [page.sums ?? [], page.cut]
    this.failure.value = undefined
    this.version.value++
  }
}

/** Fetches the rows of a thread. Those of the state before stay until the first ones have come. */
export function useRows(name: string | null, query: BlockQuery, turn = 0): Loaded<Rows> & { again: () => void } {
  const key = name === null ? null : JSON.stringify([name, query, turn])
  return useLoaded(key, (stop) => new Rows(name ?? '', query).start(stop))
}
