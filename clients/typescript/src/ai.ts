import type {
  LanguageModelV4CallOptions, LanguageModelV4Content, LanguageModelV4Message, LanguageModelV4Middleware,
  LanguageModelV4Prompt, LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import type { Context } from './context.js'
import { restore, type Found, type Piece } from './piece.js'
import type { LifecyclePolicy } from './schema.js'
import { Sent, type Standing } from './sent.js'

export interface MiddlewareOptions {
  /** What each call follows: limits and rules, or the name of a ready policy; by default the context's own. */
  policy?: LifecyclePolicy | string
}

/** A part of a message, with its role. */
interface Part {
  role: LanguageModelV4Message['role']
  /** The first part of a message has its options. */
  first?: { options?: LanguageModelV4Message['providerOptions'] }
  part: { type: string; [member: string]: any }
}

/** A middleware of the AI SDK that records each call of a model in a context, one cycle a call, and has the model
 * sent what the policy leaves. Use one for each conversation.
 *
 *     const model = wrapLanguageModel({ model: openai('gpt-5'), middleware: pactMiddleware(context, { policy }) })
 */
export function pactMiddleware(context: Context, options: MiddlewareOptions = {}): LanguageModelV4Middleware {
  const sent = new Sent(context, options.policy)
  return {
    specificationVersion: 'v4',
    transformParams: async ({ params }) => {
      const start = params.prompt.findIndex((m) => m.role !== 'system')
      const system = start < 0 ? params.prompt : params.prompt.slice(0, start)
      const parts = params.prompt.slice(system.length).flatMap(partsOf)
      const { left } = await sent.send(standingOf(params, system), parts.map(pieceOf))
      return { ...params, prompt: [...systemOf(left.map((l) => l.block), system), ...messagesOf(left.filter((l) =>
        !l.block.system).map(({ block, index }) => index === undefined ? partOf(block) : parts[index]!))] }
    },
    wrapGenerate: async ({ doGenerate }) => {
      const result = await doGenerate()
      await sent.keep(answerOf(result.content))
      return result
    },
    wrapStream: async ({ doStream }) => {
      const { stream, ...rest } = await doStream()
      const content: LanguageModelV4Content[] = []
      const recorded = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
        transform(part, controller) {
          collect(content, part)
          controller.enqueue(part)
        },
        flush: () => sent.keep(answerOf(content)),
      })
      return { ...rest, stream: stream.pipeThrough(recorded) }
    },
  }
}

/** The tools and the instructions, in the order in which providers cache them. */
function standingOf({ tools }: LanguageModelV4CallOptions, system: LanguageModelV4Prompt): Standing[] {
  return [
    ...(tools ?? []).map((tool) => ({ id: `tool-${tool.name}`, kind: 'tool', content: tool })),
    ...system.map((m, i) => ({ id: `system-${i + 1}`, role: 'system', kind: 'text', content: m.content })),
  ]
}

/** The instructions of the call, and what else stands in ^sys with that role. */
function systemOf(blocks: Found[], system: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return blocks.filter((b) => b.system && b.kind !== 'tool').map((b) => {
    const given = system[Number(b.standing?.replace('system-', '')) - 1]
    return { ...given, role: 'system', content: textOf(b.content) } as LanguageModelV4Message
  })
}

const textOf = (content: unknown) => typeof content === 'string' ? content : JSON.stringify(content)

function partsOf({ role, content, providerOptions }: LanguageModelV4Message): Part[] {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const first = providerOptions ? { options: providerOptions } : {}
  return parts.map((part, i) => ({ role, part, ...(i === 0 && { first }) }))
}

/** Parts as messages again. */
function messagesOf(parts: Part[]): LanguageModelV4Prompt {
  const messages: { role: Part['role']; content: Part['part'][]; providerOptions?: unknown }[] = []
  for (const { role, first, part } of parts) {
    const last = messages.at(-1)
    if (last?.role === role && !first) last.content.push(part)
    else messages.push({ role, content: [part], ...(first?.options && { providerOptions: first.options }) })
  }
  return messages.map((m) => m.role !== 'system' ? m : { ...m, content: m.content.map((p) => p.text).join('\n\n') }) as
    LanguageModelV4Prompt
}

/** The part that a block is; for one that no call sent, its text. */
function partOf(b: Found): Part {
  const role = b.role === 'assistant' || b.role === 'system' ? b.role : 'user'
  return restore(b) as Part | undefined ?? { role, first: {}, part: { type: 'text', text: textOf(b.content) } }
}

function pieceOf({ part, ...message }: Part): Piece {
  const { role } = message
  if (part.type === 'text' || part.type === 'reasoning') {
    const { text, ...rest } = part
    const kind = part.type === 'text' ? 'text' : 'thinking'
    return { role, kind, content: text, item: { ...message, part: rest }, at: ['part', 'text'] }
  }
  if (part.type === 'tool-call') {
    const { toolName: name, input, ...rest } = part
    return { role, kind: 'call', content: { name, arguments: input }, item: { ...message, part: rest },
      at: { name: ['part', 'toolName'], arguments: ['part', 'input'] }, call: part.toolCallId, name }
  }
  if (part.type === 'tool-result' && 'value' in part.output) {
    const { value, ...output } = part.output
    return { role: 'tool', kind: 'result', content: value, item: { ...message, part: { ...part, output } },
      at: ['part', 'output', 'value'], call: part.toolCallId, name: part.toolName,
      failed: String(part.output.type).startsWith('error') }
  }
  const kind = part.type === 'tool-result' ? 'result' : part.type
  return { role, kind, content: part, item: message, at: ['part'], ...(part.toolCallId && { call: part.toolCallId }) }
}

/** What the model answered, as the next call will send it. */
function answerOf(content: LanguageModelV4Content[]): Piece[] {
  const parts = content.flatMap((c): Part['part'][] => {
    const options = 'providerMetadata' in c && c.providerMetadata ? { providerOptions: c.providerMetadata } : {}
    switch (c.type) {
      case 'text':
      case 'reasoning':
        return c.text === '' ? [] : [{ type: c.type, text: c.text, ...options }]
      case 'tool-call':
        return [{ type: c.type, toolCallId: c.toolCallId, toolName: c.toolName, input: parsed(c.input), ...options }]
      case 'tool-result':
        return [{ type: c.type, toolCallId: c.toolCallId, toolName: c.toolName,
          output: { type: c.isError ? 'error-json' : 'json', value: c.result }, ...options }]
      case 'file':
        return [{ type: c.type, data: c.data, mediaType: c.mediaType, ...options }]
      default:
        return [] // sources and the like are not sent back
    }
  })
  return parts.map((part, i) => pieceOf({ role: 'assistant', part, ...(i === 0 && { first: {} }) }))
}

function parsed(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}

/** Puts the pieces of a stream together. */
function collect(content: LanguageModelV4Content[], part: LanguageModelV4StreamPart): void {
  const open = (id: string) => content.findLast((c) => 'id' in c && c.id === id) as { text: string } | undefined
  switch (part.type) {
    case 'text-start':
    case 'reasoning-start':
      content.push({ id: part.id, type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' } as never)
      break
    case 'text-delta':
    case 'reasoning-delta': {
      const of = open(part.id)
      if (of) of.text += part.delta
      break
    }
    case 'text-end':
    case 'reasoning-end':
      if (part.providerMetadata) Object.assign(open(part.id) ?? {}, { providerMetadata: part.providerMetadata })
      break
    case 'tool-call':
    case 'tool-result':
    case 'file':
      content.push(part)
  }
}
