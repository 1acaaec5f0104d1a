import { Context } from './context.js'
import { PactError } from './failure.js'
import { routes, type ContextInfo, type LifecyclePolicy, type Operations } from './schema.js'

/** What every call takes besides its own arguments. */
export interface CallOptions {
  signal?: AbortSignal | undefined
  /** Of an edit, a commit, a fork and an undo: a repeated request with this key does nothing more. */
  idempotencyKey?: string | undefined
}

/** A server, and the token that it takes. */
export class Pact implements AsyncDisposable {
  /** The address, without a / at its end. */
  readonly url: string
  readonly #token: string | undefined
  readonly #end: () => Promise<void>
  readonly #why: () => string | undefined

  /** Use `open` or `connect`. `end` ends what was started for this client; `why` says why it ended by itself. */
  constructor(url: string, token?: string, end = async () => {}, why: () => string | undefined = () => undefined) {
    this.url = url.replace(/\/+$/, '')
    this.#token = token
    this.#end = end
    this.#why = why
  }

  /** Calls an operation of docs/openapi.json by its id: `pact.call('strata', { name: 'chat' })`. */
  async call<Id extends keyof Operations>(id: Id, args?: Operations[Id]['args'], body?: Operations[Id]['body'],
    options: CallOptions = {}): Promise<Operations[Id]['answer']> {
    const answer = await this.send(id, args, body, options)
    if (answer.status === 204) return undefined as Operations[Id]['answer']
    const json = answer.headers.get('Content-Type')?.split(';')[0] === 'application/json'
    return (json ? answer.json() : answer.text()) as Promise<Operations[Id]['answer']>
  }

  /** Does the same and returns the answer as it came, for its bytes and headers. A refusal is a PactError. */
  async send<Id extends keyof Operations>(id: Id, args: Operations[Id]['args'] = {} as never,
    body?: Operations[Id]['body'], { signal, idempotencyKey }: CallOptions = {}): Promise<Response> {
    const [method, path] = routes[id]
    const url = new URL(this.url + path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String((args as Record<string, unknown>)[name]))))
    for (const [name, value] of Object.entries(args)) {
      if (value !== undefined && !path.includes(`{${name}}`)) url.searchParams.set(name, String(value))
    }
    const headers: Record<string, string> = {}
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`
    if (idempotencyKey) headers['Idempotency-Key'] = idempotencyKey
    const raw = typeof body === 'string' || body instanceof Uint8Array || body instanceof Blob
    if (body !== undefined) headers['Content-Type'] = raw ? 'application/octet-stream' : 'application/json'
    const given: RequestInit = { method, headers, signal: signal ?? null,
      body: body === undefined ? null : raw ? body as BodyInit : JSON.stringify(body) }
    const answer = await this.#fetch(url, given, idempotencyKey ? 1 : 0)
    if (!answer.ok) throw await PactError.of(answer)
    return answer
  }

  /** A request with a key may be sent once more if its answer was lost. */
  async #fetch(url: URL, given: RequestInit, again: number): Promise<Response> {
    try {
      return await fetch(url, given)
    } catch (cause) {
      given.signal?.throwIfAborted()
      const why = this.#why()
      if (again > 0 && !why) return this.#fetch(url, given, again - 1)
      throw new PactError({ code: 'E_UNREACHABLE', detail: why ?? `no server answers at ${this.url}`,
        remedy: why ? 'open the file again: what was acknowledged is in it' : 'start pact serve, or give its address' },
      { cause })
    }
  }

  /** Opens a context, and makes it if there is none. A new one reads selectors in `edition`. */
  async context(name: string, options: CallOptions & { edition?: string } = {}): Promise<Context> {
    const { edition, ...rest } = options
    try {
      return new Context(this, await this.call('get-context', { name }, undefined, rest))
    } catch (problem) {
      if (!(problem instanceof PactError) || problem.code !== 'E_CONTEXT_NOT_FOUND') throw problem
    }
    try {
      return new Context(this, await this.call('create-context', {}, { name, ...(edition && { edition }) }, rest))
    } catch (problem) { // another program made it meanwhile
      if (!(problem instanceof PactError) || problem.code !== 'E_CONFLICT') throw problem
      return new Context(this, await this.call('get-context', { name }, undefined, rest))
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
    throw new RangeError(`there is no policy ${name}: it is one of ${items.map((p) => p.name).join(', ')}`)
  }

  /** Imports what `pact import` reads: a conversation, a log of calls, a history. */
  async import(name: string, body: Uint8Array | Blob | string, options: CallOptions = {}): Promise<Context[]> {
    const made = await this.call('import', { name }, body, options)
    return made.contexts.map((info) => new Context(this, info))
  }

  /** Ends the server that `open` started, once it has answered what it was asked. */
  close(): Promise<void> {
    return this.#end()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** Speaks to a server that runs, with a token of the run or a named one. */
export function connect(url: string, token?: string): Pact {
  const at = new URL(url)
  const inFragment = new URLSearchParams(at.hash.slice(1)).get('token') // as pact serve prints it
  at.hash = ''
  return new Pact(at.href, token ?? inFragment ?? undefined)
}
