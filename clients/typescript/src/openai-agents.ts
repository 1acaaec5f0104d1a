import { createHash } from 'node:crypto'
import {
  applySessionHistoryMutations, UserError, type AgentInputItem, type CallModelInputFilter,
  type SessionHistoryRewriteArgs, type SessionHistoryRewriteAwareSession, type SessionHistoryTransactionArgs,
  type SessionHistoryTransactionAwareSession,
} from '@openai/agents'
import type { Context } from './context.js'
import { keyOf, restore, toJSON, type Found, type Piece } from './piece.js'
import type { LifecyclePolicy } from './schema.js'
import { clearing, OtherOperation, Sent } from './sent.js'

export interface SessionOptions {
  /** What each call follows: limits and rules, or the name of a ready policy; by default the context's own. */
  policy?: LifecyclePolicy | string
}

/** A session of the OpenAI Agents SDK whose items are the blocks of a context. With `filter` as the
 * callModelInputFilter of a run, each call of the model is a cycle: what was sent is recorded, and a policy holds.
 * What a run leaves out of its input, by a sessionInputCallback, leaves the session too and stays in the history.
 *
 *     const session = new PactSession(await pact.context('chat'), { policy: { max_tokens: 20000 } })
 *     await run(agent, 'Hello', { session, callModelInputFilter: session.filter })
 */
export class PactSession implements SessionHistoryRewriteAwareSession, SessionHistoryTransactionAwareSession {
  readonly #sent: Sent
  /** What was sent and is not yet among the items, by id: the runner adds them when the model has answered. */
  readonly #pending = new Map<string, Set<string>>()

  constructor(context: Context, options: SessionOptions = {}) {
    this.#sent = new Sent(context, options.policy)
  }

  async getSessionId(): Promise<string> {
    return this.#sent.context.name
  }

  async getItems(limit?: number): Promise<AgentInputItem[]> {
    const items = this.#items(await this.#sent.blocks()).map(itemOf)
    return limit === undefined ? items : limit > 0 ? items.slice(-limit) : []
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    const claimed = this.#claim(items)
    if (claimed.more.length > 0) await this.#sent.keep(claimed.more)
    claimed.done()
  }

  /** Tells which items are new, and which were sent and only wait to be items. */
  #claim(items: AgentInputItem[]): { more: Piece[]; done: () => void } {
    const waiting = new Map(this.#pending)
    const more = items.map(pieceOf).filter((piece) => {
      const key = keyOf(piece)
      const [id] = [...waiting].find(([, keys]) => keys.has(key)) ?? []
      return id === undefined || !waiting.delete(id)
    })
    return { more, done: () => {
      for (const id of this.#pending.keys()) if (!waiting.has(id)) this.#pending.delete(id)
    } }
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    const [last] = await this.#sent.remove((blocks) => this.#items(blocks).slice(-1))
    return last && itemOf(last)
  }

  async clearSession(): Promise<void> {
    this.#pending.clear()
    await this.#sent.remove((blocks) => blocks.filter((b) => !b.system), clearing)
  }

  /** A compaction keeps the ids of what it retains. */
  async replaceHistoryWithCompaction(items: AgentInputItem[]): Promise<void> {
    this.#pending.clear()
    await this.#sent.replace(() => items.map(pieceOf))
  }

  async applyHistoryMutations({ mutations }: SessionHistoryRewriteArgs): Promise<void> {
    await this.#sent.replace((blocks) => applySessionHistoryMutations(blocks.filter((b) => !b.system).map(itemOf),
      mutations).map(pieceOf))
  }

  /** Does a change once, however often it is asked: the log has the name of the operation. */
  async applyHistoryTransaction({ operationId, transaction }: SessionHistoryTransactionArgs): Promise<void> {
    const expected = transaction.type === 'replace_suffix' ? transaction.expectedSuffix : []
    const claimed = this.#claim(transaction.type === 'append_items' ? transaction.items : transaction.replacement)
    const message = 'history transaction ' + createHash('sha256').update(textOf(transaction)).digest('hex')
    try {
      const now = await this.#sent.once(operationId, message, (blocks) => {
        const suffix = expected.length > 0 ? this.#items(blocks).slice(-expected.length) : []
        if (textOf(suffix.map(itemOf)) !== textOf(expected)) {
          throw new UserError('Session history suffix no longer matches the transaction precondition.')
        }
        return { remove: suffix, add: claimed.more }
      })
      if (now) claimed.done()
    } catch (problem) {
      if (!(problem instanceof OtherOperation)) throw problem
      throw new UserError('Session history operation was already applied with a different transaction.')
    }
  }

  /** Records what a call sends, and has it send what the policy leaves. */
  readonly filter: CallModelInputFilter = async ({ modelData: { input, instructions } }) => {
    const standing = instructions ? [{ id: 'instructions', role: 'system', kind: 'text', content: instructions }] : []
    const { left, added, removed } = await this.#sent.send(standing, input.map(kept).map(pieceOf))
    const moved = removed.filter(({ id }) => !this.#pending.delete(id)) // items, if they come again elsewhere
    for (const { id, key } of added) {
      const i = moved.findIndex((m) => m.key === key)
      if (i < 0) this.#pending.set(id, new Set([key]))
      else moved.splice(i, 1)
    }
    for (const { block } of left) this.#pending.get(block.id)?.add(keyOf(block))
    const system = left.flatMap(({ block }) => block.system && block.role === 'system' ? [String(block.content)] : [])
    const items = left.filter(({ block }) => !block.system)
    return {
      input: items.map(({ block, index }) => index === undefined ? itemOf(block) : input[index]!),
      ...(system.length > 0 && { instructions: system.join('\n\n') }),
    }
  }

  #items(blocks: Found[]): Found[] {
    return blocks.filter((b) => !b.system && !this.#pending.has(b.id))
  }
}

/** A call as the runner will add it: without the ids that the provider gave the item. */
function kept(item: AgentInputItem): AgentInputItem {
  if (item.type !== 'function_call') return item
  const { id: _, providerData, ...rest } = item
  const { id: __, ...about } = providerData ?? {}
  return { ...rest, ...(providerData && { providerData: about }) }
}

const textOf = (value: unknown) => JSON.stringify(toJSON(value))

/** The item that a block is; for one that no run sent, a message with its text. */
function itemOf(b: Found): AgentInputItem {
  const sent = restore(b)
  if (sent !== undefined) return sent as AgentInputItem
  const text = typeof b.content === 'string' ? b.content : JSON.stringify(b.content)
  if (b.role === 'system') return { role: 'system', content: text }
  if (b.role !== 'assistant') return { role: 'user', content: text }
  return { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }
}

function pieceOf(item: AgentInputItem): Piece {
  const { type } = item
  if (type === undefined || type === 'message') return message(item as Extract<AgentInputItem, { role: string }>)
  if (type === 'function_call') {
    const { name, arguments: given, ...rest } = item
    return { kind: 'call', role: 'assistant', content: { name, arguments: given }, item: rest,
      at: { name: ['name'], arguments: ['arguments'] }, call: item.callId, name }
  }
  if (type === 'function_call_result') {
    const { output, ...rest } = item
    const base = { kind: 'result', role: 'tool', call: item.callId, name: item.name }
    if (typeof output !== 'string' && !Array.isArray(output) && output.type === 'text') {
      const { text, ...about } = output
      return { ...base, content: text, item: { ...rest, output: about }, at: ['output', 'text'] }
    }
    return { ...base, content: output, item: rest, at: ['output'] }
  }
  const kind = type === 'reasoning' ? 'thinking' : /(_result|_output)$/.test(type) ? 'result'
    : type.endsWith('_call') ? 'call' : 'text'
  return { kind, role: kind === 'result' ? 'tool' : 'assistant', content: item, item: null, at: [] }
}

/** A message; its only text becomes the content. */
function message(item: Extract<AgentInputItem, { role: string }>): Piece {
  const { content, ...rest } = item
  const [only] = content
  if (typeof content !== 'string' && content.length === 1 && typeof only === 'object' && 'text' in only) {
    const { text, ...about } = only
    return { kind: 'text', role: item.role, content: text, item: { ...rest, content: [about] },
      at: ['content', 0, 'text'] }
  }
  return { kind: 'text', role: item.role, content, item: rest, at: ['content'] }
}
