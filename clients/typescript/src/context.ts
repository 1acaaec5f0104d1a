import { randomUUID } from 'node:crypto'
import type { CallOptions, Pact } from './client.js'
import type {
  Committed, ContextInfo, DiffReport, Edit, Edited, InspectPrunePlan, InspectTimeline, LifecyclePolicy, NewNode,
  Pruning, SimulatedPolicy, SimulateResult, Simulating,
} from './schema.js'

/** Who changes something and why, for the log. */
export interface Reason extends CallOptions {
  actor?: string
  message?: string
}

export interface CommitOptions extends Reason {
  /** Edits that become part of the commit. */
  edits?: Edit[]
  /** Limits and rules of this commit, or the name of a ready policy. Without it the context's own policy holds. */
  policy?: LifecyclePolicy | string
  /** What else to remove. */
  pruning?: Omit<Pruning, 'policy'>
}

/** A block of a thread, in the order in which the model reads it. */
export interface Block {
  id: string
  role?: string
  kind?: string
  content: unknown
}

/** A part of a message of Chat Completions. */
export type OpenAIPart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } }

/** A message of Chat Completions, as its SDK takes it. */
export type OpenAIMessage =
  | { role: 'system' | 'developer'; content: string | { type: 'text'; text: string }[] }
  | { role: 'user'; content: string | OpenAIPart[] }
  | { role: 'tool'; tool_call_id: string; content: string | { type: 'text'; text: string }[] }
  | { role: 'assistant'; content?: string | { type: 'text'; text: string }[] | null
    tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[] }

/** What `thread` returns in each form: of an API, what its request has besides the model and parameters. */
export interface Threads {
  canonical: Block[]
  openai: OpenAIMessage[]
  responses: { input: Record<string, unknown>[]; instructions?: unknown; tools?: unknown[] }
  anthropic: { messages: { role: 'user' | 'assistant'; content: unknown }[]; system?: unknown; tools?: unknown[] }
  gemini: { contents: { role: string; parts: unknown[] }[]; systemInstruction?: unknown; tools?: unknown[] }
  text: string
  markdown: string
  verbatim: unknown
}

/** A cycle, or an address such as `latest-1` or `working`. */
export type At = string | number

function address(at: At): string {
  return typeof at === 'number' ? `@c${at}` : at
}

/** One conversation: a tree with its whole history. It remembers the latest cycle that it knows, on which its
 * changes build: if others have committed since, they fail with E_CONFLICT, and `refresh` reads what is new. */
export class Context {
  readonly pact: Pact
  #info: ContextInfo

  constructor(pact: Pact, info: ContextInfo) {
    this.pact = pact
    this.#info = info
  }

  get name(): string {
    return this.#info.name
  }

  /** The latest cycle that is known; 0 before the first commit. */
  get cycle(): number {
    return this.#info.last_cycle
  }

  /** Reads what others did since. */
  async refresh(options: CallOptions = {}): Promise<ContextInfo> {
    return this.#info = await this.pact.call('get-context', { name: this.name }, undefined, options)
  }

  /** Changes the working state: all edits or none. */
  async edit(edits: Edit[], options: Reason = {}): Promise<Edited> {
    const { about, rest } = reason(options)
    return this.pact.call('edit', { name: this.name }, { cycle: this.cycle, edits, ...about }, rest)
  }

  /** Adds a node under ^sys, ^ah or the id of a node, and returns its id. */
  async add(into: string, node: NewNode, options: Reason = {}): Promise<string> {
    const { ids } = await this.edit([{ op: 'add', into, node }], options)
    return ids?.[0] ?? node.id ?? ''
  }

  /** Adds the result of the call with this id, beside it or, if that is sealed, to ^ah, and returns its id. */
  async result(call: string, node: NewNode, options: Reason = {}): Promise<string> {
    const said = { role: 'tool', kind: 'result', ...node }
    const { ids } = await this.edit([{ op: 'result', id: call, node: said }], options)
    return ids?.[0] ?? node.id ?? ''
  }

  /** Ends the cycle: what stands in the thread now is what the model was sent with this call. */
  async commit(options: CommitOptions = {}): Promise<Committed> {
    const { edits, policy, pruning, ...why } = options
    const { about, rest } = reason(why)
    const done = await this.pact.call('commit', { name: this.name }, { cycle: this.cycle, ...about,
      ...(edits && { edits }),
      ...((policy || pruning) && { pruning: { ...pruning, ...(policy && { policy }) } }) }, rest)
    this.#info = { ...this.#info, last_cycle: done.cycle, revision: done.revision }
    return done
  }

  /** Says what a commit under a policy would remove, and what that would cost. Nothing changes. */
  async plan(policy: LifecyclePolicy | string, options: CallOptions & { at?: At } = {}): Promise<InspectPrunePlan> {
    const { at, ...rest } = options
    const args = { name: this.name, ...(at !== undefined && { at: address(at) }) }
    return this.pact.call('plan-pruning', args, { policy }, rest)
  }

  /** The blocks that a snapshot, or `working`, sends; with `as` what a request of an API has, and with `whole` all of
   * it, with the model and parameters as far as the context has them. */
  thread<As extends keyof Threads = 'canonical'>(options?: CallOptions & { at?: At; as?: As; whole?: false }):
    Promise<Threads[As]>
  thread(options: CallOptions & { at?: At; as: 'openai' | 'responses' | 'anthropic' | 'gemini'; whole: true }):
    Promise<Record<string, unknown>>
  async thread(options: CallOptions & { at?: At; as?: keyof Threads; whole?: boolean } = {}): Promise<unknown> {
    const { at, as, whole, ...rest } = options
    const thread = await this.pact.call('get-thread', { name: this.name, ...(at !== undefined && { at: address(at) }),
      ...(as && { as }), ...(whole && { whole }) }, undefined, rest)
    // Of a call that was recorded the server also has the tools.
    return as === 'openai' && !whole && !Array.isArray(thread) ? (thread as { messages: unknown }).messages : thread
  }

  /** The ids of the nodes that a selector finds. */
  async select(selector: string, options: CallOptions & { limit?: number } = {}): Promise<string[]> {
    const { limit, ...rest } = options
    const args = { name: this.name, q: selector, ...(limit && { limit }) }
    const found = await this.pact.call('select', args, undefined, rest)
    return found.ids ?? []
  }

  /** What differs between two states, and why. */
  diff(from: At = 'latest-1', to: At = 'latest', options: CallOptions = {}): Promise<DiffReport> {
    return this.pact.call('diff', { name: this.name, from: address(from), to: address(to) }, undefined, options)
  }

  /** Everything that happened to a node. */
  life(id: string, options: CallOptions = {}): Promise<InspectTimeline> {
    return this.pact.call('life', { name: this.name, id }, undefined, options)
  }

  /** Replays the recorded calls under policies: tokens, cache, money and what would have been missed. */
  simulate(policies: (string | SimulatedPolicy)[], options: Omit<Simulating, 'policies'> = {},
    { signal }: CallOptions = {}): Promise<SimulateResult> {
    const named = policies.map((p) => typeof p === 'string' ? { name: p } : p)
    return this.pact.call('simulate', { name: this.name }, { policies: named, ...options }, { signal })
  }

  /** Makes a context that begins with a snapshot and shares everything before it. */
  async fork(name: string, at: At = 'latest', options: CallOptions = {}): Promise<Context> {
    const made = await this.pact.call('fork-context', { name: this.name }, { name, at: address(at) }, keyed(options))
    return new Context(this.pact, made)
  }

  /** Takes the last commit back, and returns the name under which it stays. */
  async undo(options: Reason = {}): Promise<string> {
    const { about, rest } = reason(options)
    const done = await this.pact.call('undo-commit', { name: this.name }, about, rest)
    await this.refresh(rest.signal ? { signal: rest.signal } : {})
    return done.undone
  }

  /** Deletes the context. Forks keep what they share with it. */
  async delete(options: CallOptions = {}): Promise<void> {
    await this.pact.call('delete-context', { name: this.name }, undefined, options)
  }
}

function keyed(options: CallOptions): CallOptions {
  return { ...options, idempotencyKey: options.idempotencyKey ?? randomUUID() }
}

function reason({ actor, message, ...rest }: Reason) {
  return { about: { ...(actor && { actor }), ...(message && { message }) }, rest: keyed(rest) }
}
