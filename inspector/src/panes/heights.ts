/**
 * The heights of the rows of a list, as a binary indexed tree: to set one height, to sum those
 * before a row and to find the row at a height cost O(log n), so that a list of a million rows
 * scrolls as one of ten.
 */
export class Heights {
  readonly count: number
  private readonly rows: Float64Array
  private readonly sums: Float64Array

  constructor(count: number, estimate: (row: number) => number) {
    this.count = count
    this.rows = new Float64Array(count)
    this.sums = new Float64Array(count + 1)
    for (let i = 0; i < count; i++) {
      const height = estimate(i)
      this.rows[i] = height
      this.sums[i + 1] = (this.sums[i + 1] ?? 0) + height
      const above = i + 1 + ((i + 1) & -(i + 1))
      if (above <= count) this.sums[above] = (this.sums[above] ?? 0) + (this.sums[i + 1] ?? 0)
    }
  }

  /** The height of one row. */
  of(row: number): number {
    return this.rows[row] ?? 0
  }

  /** The height of all rows before this one. */
  before(row: number): number {
    let sum = 0
    for (let i = Math.min(row, this.count); i > 0; i -= i & -i) sum += this.sums[i] ?? 0
    return sum
  }

  /** The height of all rows. */
  get total(): number {
    return this.before(this.count)
  }

  /** Sets the height of a row and returns by how much it grew. */
  set(row: number, height: number): number {
    const growth = height - this.of(row)
    if (growth !== 0) {
      this.rows[row] = height
      for (let i = row + 1; i <= this.count; i += i & -i) this.sums[i] = (this.sums[i] ?? 0) + growth
    }
    return growth
  }

  /** The row that covers a height: the last one where the height is behind all of them. */
  at(height: number): number {
    let row = 0
    let step = 1
    while (step * 2 <= this.count) step *= 2
    for (; step > 0; step >>= 1) {
      const sum = this.sums[row + step]
      if (row + step <= this.count && sum !== undefined && sum <= height) {
        row += step
        height -= sum
      }
    }
    return Math.max(0, Math.min(row, this.count - 1))
  }
}
