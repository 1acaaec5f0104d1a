import { signal } from '@preact/signals'
import type { Failure } from '../api'
import { failureOf } from '../load'

export const pageSize = 200

/** A page of rows as the server answers: `total` counts the rows of all pages. */
export interface Page<Row> {
  items: Row[]
  total: number
}

/**
 * The rows of a long list, fetched in pages as they come in sight. Pages begin at multiples of their
 * size, and each is asked for once; one that failed is asked for again.
 */
export class Pages<Row extends { id: string }> {
  /** Counts up whenever rows have come, for those who show them. */
  readonly version = signal(0)
  readonly failure = signal<Failure | undefined>(undefined)
  total = 0
  private readonly list: (Row | undefined)[] = []
  private readonly places = new Map<string, number>()
  private readonly asked = new Map<number, Promise<void>>()
  private readonly fetch: (after: number, stop?: AbortSignal) => Promise<Page<Row>>

  constructor(fetch: (after: number, stop?: AbortSignal) => Promise<Page<Row>>) {
    this.fetch = fetch
  }

  /** Fetches the first page; the list can be shown then. A refusal is the caller's. */
  async start(stop: AbortSignal): Promise<this> {
    this.take(await this.fetch(0, stop), 0)
    this.asked.set(0, Promise.resolve())
    return this
  }

  /** Returns a row, if it has come. */
  row(i: number): Row | undefined {
    return this.list[i]
  }

  /** Returns all rows; those that have not come are undefined. */
  rows(): readonly (Row | undefined)[] {
    return this.list
  }

  /** Returns the index of the row of a node among those that have come, or -1. */
  indexOf(node: string | null | undefined): number {
    return node ? (this.places.get(node) ?? -1) : -1
  }

  /** Fetches what is missing of a span of rows. What fails is in `failure`. */
  async need(first: number, last: number): Promise<void> {
    const pages: Promise<void>[] = []
    const from = Math.floor(Math.max(0, first) / pageSize) * pageSize
    for (let after = from; after <= last && after < this.total; after += pageSize) pages.push(this.page(after))
    await Promise.all(pages)
  }

  private page(after: number): Promise<void> {
    const known = this.asked.get(after)
    if (known) return known
    const asking = this.fetch(after).then(
      (page) => this.take(page, after),
      (problem: unknown) => {
        this.asked.delete(after)
        this.failure.value = failureOf(problem)
      },
    )
    this.asked.set(after, asking)
    return asking
  }

  private take(page: Page<Row>, from: number): void {
    if (from === 0) {
      this.total = page.total
      this.list.length = page.total
    }
    page.items.forEach((row, i) => {
      this.list[from + i] = row
      this.places.set(row.id, from + i)
    })
    this.failure.value = undefined
    this.version.value++
  }
}
