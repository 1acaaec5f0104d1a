/// <reference lib="esnext.disposable" preserve="true" />
import { Context } from './context.js'
import { isPactError, PactError } from './failure.js'
import { asJSON, checkWord } from './json.js'
import { Places } from './places.js'
import { routes, type ContextInfo, type LifecyclePolicy, type Operations } from './schema.js'

/** What every call takes besides its own arguments. */
export interface CallOptions {
  signal?: AbortSignal | undefined
  /** Of an edit, a commit, a fork and an undo: a repeated request with this key does nothing more. */
  idempotencyKey?: string | undefined
}

/** The server that a client started for itself. */
export interface Own {
  end(): Promise<void>
  /** How it ended, if it did by itself. */
  why(): Promise<string | undefined>
}

export interface ConnectOptions {
  /** Milliseconds that a call may take; eleven minutes without it, which is longer than any import. */
  timeout?: number
}

/** A request that is under way. */
interface Asked {
  answer: Response
  signal: AbortSignal
  done(): void
}

const atOnce = 32 // a server answers 64
const tries = 20 // of a request that the server has no place for, a tenth of a second longer each time

/** A server, and the token that it takes. */
export class Pact implements AsyncDisposable {
  /** The address, without a / at its end. */
  readonly url: string
  readonly #token: string | undefined
  readonly #own: Own | undefined
  readonly #timeout: number
  readonly #places = new Places(atOnce)
  #closed = false

  /** Use `open` or `connect`. */
  constructor(url: string, token?: string, timeout?: number, own?: Own) {
    this.url = url.replace(/\/+$/, '')
    this.#token = token
    this.#own = own
    this.#timeout = checkTimeout(timeout)
  }

  /** Calls an operation of docs/openapi.json by its id: `pact.call('strata', { name: 'chat' })`. */
  async call<Id extends keyof Operations>(id: Id, args?: Operations[Id]['args'], body?: Operations[Id]['body'],
    options: CallOptions = {}): Promise<Operations[Id]['answer']> {
    const { answer, signal, done } = await this.#ask(id, args, body, options)
    const needs: readonly string[] | false = routes[id][2]
    try {
      if (answer.status === 204 && !needs) return undefined as Operations[Id]['answer']
      const json = answer.headers.get('Content-Type')?.split(';')[0] === 'application/json'
      if (!json && needs) throw await PactError.of(answer)
      const text = await answer.text()
      const said: unknown = json ? JSON.parse(text) : text
      if (needs && !(typeof said === 'object' && said && needs.every((name) => Object.hasOwn(said, name)))) {
        throw await PactError.of(answer)
      }
      return said as Operations[Id]['answer']
    } catch (cause) {
      if (cause instanceof PactError) throw cause
      options.signal?.throwIfAborted()
      signal.throwIfAborted()
      throw this.#gone('the answer broke off', await this.#own?.why(), cause)
    } finally {
      done()
    }
  }

  /** Does the same and returns the answer as it came, for its bytes and headers. A refusal is a PactError. */
  async send<Id extends keyof Operations>(id: Id, args: Operations[Id]['args'] = {} as never,
    body?: Operations[Id]['body'], options: CallOptions = {}): Promise<Response> {
    const { answer, done } = await this.#ask(id, args, body, options)
    done()
    return answer
  }

  async #ask<Id extends keyof Operations>(id: Id, args: Operations[Id]['args'] = {} as never,
    body: Operations[Id]['body'], { signal, idempotencyKey }: CallOptions): Promise<Asked> {
    if (!Object.hasOwn(routes, id)) {
      throw new PactError({ code: 'E_DOCUMENT_INVALID', detail: `there is no operation ${id}`, token: id,
        remedy: 'docs/openapi.json lists them' })
    }
    const [method, path] = routes[id]
    const url = new URL(this.url + path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(checkWord(String((args as Record<string, unknown>)[name] ?? ''), true))))
    for (const [name, value] of Object.entries(args)) {
      if (value === undefined || path.includes(`{${name}}`)) continue
      url.searchParams.set(name, checkWord(String(value), false))
    }
    const headers: Record<string, string> = {}
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`
    if (idempotencyKey) headers['Idempotency-Key'] = idempotencyKey
    const raw = typeof body === 'string' || body instanceof Uint8Array || body instanceof Blob
    if (body !== undefined) headers['Content-Type'] = raw ? 'application/octet-stream' : 'application/json'
    const given: RequestInit = { method, headers, redirect: 'manual',
      body: body === undefined ? null : raw ? body as BodyInit : asJSON(body) }
    for (let tried = 1; ; tried++) {
      if (this.#closed) {
        throw new PactError({ code: 'E_CLOSED', detail: 'the client is closed', remedy: 'open it again' })
      }
      const asked = await this.#fetch(url, given, signal, method === 'GET' || idempotencyKey ? 1 : 0)
      if (asked.answer.ok) return asked
      const refused = await PactError.of(asked.answer).finally(() => asked.done())
      if (refused.code !== 'E_TOO_MANY' || tried === tries) throw refused // others use the server too
      await new Promise((resolve) => setTimeout(resolve, 100 * tried))
      signal?.throwIfAborted()
    }
  }

  /** A question, and a request with a key, may be sent once more if the answer was lost. */
  async #fetch(url: URL, given: RequestInit, signal: AbortSignal | undefined, again: number): Promise<Asked> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new PactError({ code: 'E_UNREACHABLE',
      detail: `${this.url} does not answer within ${this.#timeout} ms`, remedy: 'check that the server runs' })),
    this.#timeout)
    const both = signal ? AbortSignal.any([signal, late.signal]) : late.signal
    const done = () => clearTimeout(timer)
    try {
      await this.#places.enter(both)
      try {
        return { answer: await fetch(url, { ...given, signal: both }), signal: both, done }
      } finally {
        this.#places.leave()
      }
    } catch (cause) {
      done()
      both.throwIfAborted()
      const why = await this.#own?.why()
      if (again > 0 && !why) return this.#fetch(url, given, signal, again - 1)
      throw this.#gone(`no server answers at ${this.url}`, why, cause)
    }
  }

  #gone(detail: string, why: string | undefined, cause: unknown): PactError {
    return new PactError({ code: 'E_UNREACHABLE', detail: why ?? detail,
      remedy: why ? 'open the file again: what was acknowledged is in it' : 'start pact serve, or give its address' },
    { cause })
  }

  /** Opens a context; one that does not exist is E_CONTEXT_NOT_FOUND. */
  async context(name: string, options: CallOptions = {}): Promise<Context> {
    return new Context(this, await this.call('get-context', { name }, undefined, options))
  }

  /** Makes an empty context, which reads selectors in `edition`. With `existOk` it opens the one that is there. */
  async create(name: string, options: CallOptions & { existOk?: boolean; edition?: string;
    attrs?: Record<string, unknown> } = {}): Promise<Context> {
    const { existOk, edition, attrs, ...rest } = options
    try {
      const made = { name, ...(edition && { edition }), ...(attrs && { attrs }) }
      return new Context(this, await this.call('create-context', {}, made, rest))
    } catch (problem) {
      if (!existOk || !(isPactError(problem, 'E_CONFLICT') || isPactError(problem, 'E_FORBIDDEN'))) throw problem
      return this.context(name, rest).catch((why: unknown) => { // a token that may only read finds what is there
        throw isPactError(why, 'E_CONTEXT_NOT_FOUND') ? problem : why
      })
    }
  }

  /** Lists the contexts by name, page by page. */
  async *contexts(options: CallOptions & { details?: boolean; all?: boolean } = {}): AsyncGenerator<ContextInfo> {
    const { signal, ...args } = options
    for (let after: string | undefined; ;) {
      const page = await this.call('list-contexts', { ...args, ...(after && { after }) }, undefined, { signal })
      yield* page.items
      if (!page.next) return
      after = page.next
    }
  }

  /** The ready policy with this name. It has no limits: add some. */
  async policy(name: string, { signal }: CallOptions = {}): Promise<LifecyclePolicy> {
    const { items } = await this.call('list-policies', {}, undefined, { signal })
    const found = items.find((p) => p.name === name)
    if (found) return found.policy
    throw new PactError({ code: 'E_DOCUMENT_INVALID', detail: `there is no ready policy "${name}"`,
      remedy: `the names are ${items.map((p) => p.name).join(', ')}` })
  }

  /** Imports what `pact import` reads: a conversation, a log of calls, a history. */
  async import(name: string, body: Uint8Array | Blob | string, options: CallOptions = {}): Promise<Context[]> {
    const made = await this.call('import', { name }, body, options)
    return made.contexts.map((info) => new Context(this, info))
  }

  /** Ends the server that `open` started, once it has answered what it was asked, or after some time. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#own?.end()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** The milliseconds of a timeout. */
export function checkTimeout(timeout = 660_000): number {
  if (timeout > 0 && timeout < 2 ** 31) return timeout
  throw new PactError({ code: 'E_DOCUMENT_INVALID', detail: `the timeout is ${timeout}`,
    remedy: 'give milliseconds, more than 0' })
}

/** Speaks to a server that runs, with a token of the run or a named one. */
export function connect(url: string, token?: string, options: ConnectOptions = {}): Pact {
  const at = URL.canParse(url) ? new URL(url) : undefined
  if (!at || !/^https?:$/.test(at.protocol)) {
    throw new PactError({ code: 'E_DOCUMENT_INVALID', detail: `"${url}" is no address of a server`,
      remedy: 'write one such as http://127.0.0.1:7741' })
  }
  const inFragment = new URLSearchParams(at.hash.slice(1)).get('token') // as pact serve prints it
  at.hash = ''
  return new Pact(at.href, token ?? inFragment ?? undefined, options.timeout)
}
