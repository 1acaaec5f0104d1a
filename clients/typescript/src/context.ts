import { randomUUID } from 'node:crypto'
import type { CallOptions, Pact } from './client.js'
import type {
  Committed, ContextInfo, DiffReport, Edit, Edited, InspectPrunePlan, InspectTimeline, LifecyclePolicy, NewNode,
  Operations, Pruning, SimulatedPolicy, SimulateResult, Simulating,
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

type Forms = NonNullable<Operations['get-thread']['args']['as']>

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

  /** Ends the cycle: what stands in the thread now is what the model was sent with this call. */
  async commit(options: CommitOptions = {}): Promise<Committed> {
    const { edits, policy, pruning, ...why } = options
    const { about, rest } = reason(why)
    const limits = typeof policy === 'string' ? await this.pact.policy(policy, rest) : policy
    const done = await this.pact.call('commit', { name: this.name }, { cycle: this.cycle, ...about,
      ...(edits && { edits }),
      ...((limits || pruning) && { pruning: { ...pruning, ...(limits && { policy: limits }) } }) }, rest)
    this.#info = { ...this.#info, last_cycle: done.cycle, revision: done.revision }
    return done
  }

  /** Says what a commit under a policy would remove, and what that would cost. Nothing changes. */
  async plan(policy: LifecyclePolicy | string, options: CallOptions & { at?: string } = {}): Promise<InspectPrunePlan> {
    const { at, ...rest } = options
    const limits = typeof policy === 'string' ? await this.pact.policy(policy, rest) : policy
    return this.pact.call('plan-pruning', { name: this.name, ...(at && { at }) }, { policy: limits }, rest)
  }

  /** The blocks that a snapshot, or `working`, sends; with `as` the messages of an API. */
  thread(options?: CallOptions & { at?: string; as?: 'canonical' }): Promise<Block[]>
  thread(options: CallOptions & { at?: string; as: 'text' | 'markdown' }): Promise<string>
  thread<T = unknown>(options: CallOptions & { at?: string; as: Forms; whole?: boolean }): Promise<T>
  async thread(options: CallOptions & { at?: string; as?: Forms; whole?: boolean } = {}): Promise<unknown> {
    const { at, as, whole, ...rest } = options
    return this.pact.call('get-thread', { name: this.name, ...(at && { at }), ...(as && { as }),
      ...(whole && { whole }) }, undefined, rest)
  }

  /** The ids of the nodes that a selector finds. */
  async select(selector: string, options: CallOptions & { limit?: number } = {}): Promise<string[]> {
    const { limit, ...rest } = options
    const args = { name: this.name, q: selector, ...(limit && { limit }) }
    const found = await this.pact.call('select', args, undefined, rest)
    return found.ids ?? []
  }

  /** What differs between two states, and why. */
  diff(from = '@t-1', to = '@t0', options: CallOptions = {}): Promise<DiffReport> {
    return this.pact.call('diff', { name: this.name, from, to }, undefined, options)
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
  async fork(name: string, at = '@t0', options: CallOptions = {}): Promise<Context> {
    const made = await this.pact.call('fork-context', { name: this.name }, { name, at }, keyed(options))
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
