/** Lets so many requests be under way at once; the others wait, in order. */
export class Places {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** Waits for a place, or throws the reason of the signal. */
  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#free > 0) {
      this.#free--
      return
    }
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1)
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(enter)
    })
  }

  leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }
}
