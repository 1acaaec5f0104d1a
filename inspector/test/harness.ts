// What the tests of pure parts need: names, random input that is the same in every run, and an end
// that the program which runs them notices.

const failures: string[] = []
let passed = 0

/** Runs a test. A failure is printed with its name, and the other tests still run. */
export function test(name: string, run: () => void): void {
  try {
    run()
    passed++
  } catch (problem) {
    failures.push(`${name}: ${problem instanceof Error ? problem.message : String(problem)}`)
  }
}

/** Fails unless both values have the same JSON. */
export function same(have: unknown, want: unknown, about = ''): void {
  const [a, b] = [JSON.stringify(have), JSON.stringify(want)]
  if (a !== b) throw new Error(`${about} is ${a}, want ${b}`)
}

/** Fails unless something holds. */
export function holds(truth: boolean, about: string): void {
  if (!truth) throw new Error(about)
}

/** Prints what failed, and ends the program as failed if anything did. */
export function finish(): void {
  if (failures.length > 0) throw new Error(failures.join('\n'))
  console.log(`${passed} tests passed`)
}

/** A source of numbers that look random and are the same in every run. */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed
  }

  /** A whole number from 0 to below n. */
  below(n: number): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0
    return Math.floor((this.state / 2 ** 32) * n)
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }

  /** A text of up to n of the given pieces. */
  text(n: number, pieces: readonly string[]): string {
    return Array.from({ length: this.below(n + 1) }, () => this.pick(pieces)).join('')
  }

  shuffled<T>(list: readonly T[]): T[] {
    const all = [...list]
    for (let i = all.length - 1; i > 0; i--) {
      const j = this.below(i + 1)
      const kept = all[i] as T
      all[i] = all[j] as T
      all[j] = kept
    }
    return all
  }
}
