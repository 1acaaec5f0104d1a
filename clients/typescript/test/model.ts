import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

type Answer = Record<string, unknown>
interface Call { path: string; body: Record<string, any> }

/** A server in place of a provider: it keeps what it is asked, and answers what it is told, in turn. */
export async function provider(answers: (Answer | undefined)[]) {
  const asked: Call[] = []
  const server = createServer(async (request: IncomingMessage, answer) => {
    let body = ''
    for await (const piece of request) body += piece
    asked.push({ path: request.url ?? '', body: JSON.parse(body) })
    const next = answers.shift()
    if (next && asked.at(-1)!.body.stream) return void answer.end(streamed(next))
    answer.writeHead(next ? 200 : 400, { 'Content-Type': 'application/json' })
    answer.end(JSON.stringify(next ?? { error: { message: 'not told what to answer', type: 'invalid_request_error' } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return { asked, answers, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

/** A response as the events of a stream: each text in two pieces. */
function streamed(whole: Answer): string {
  const events: Answer[] = [{ type: 'response.created', response: whole }]
  for (const [output_index, item] of (whole.output as Record<string, any>[]).entries()) {
    events.push({ type: 'response.output_item.added', output_index, item: { ...item, content: [] } })
    const text: string = item.content?.[0]?.text ?? ''
    for (const delta of [text.slice(0, 2), text.slice(2)].filter((d) => d)) {
      events.push({ type: 'response.output_text.delta', item_id: item.id, output_index, content_index: 0, delta })
    }
    events.push({ type: 'response.output_item.done', output_index, item })
  }
  events.push({ type: 'response.completed', response: whole })
  return events.map((e) => `data: ${JSON.stringify(e)}\n\n`).join('')
}

let count = 0

/** A response of the Responses API. */
export function response(...output: Answer[]): Answer {
  count++
  return { id: `resp_${count}`, object: 'response', created_at: 1, status: 'completed', model: 'gpt-5', output,
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 } } }
}

export function says(text: string): Answer {
  return { type: 'message', id: `msg_${++count}`, role: 'assistant', status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }] }
}

export function calls(name: string, args: unknown): Answer {
  count++
  return { type: 'function_call', id: `fc_${count}`, call_id: `call_${count}`, name, status: 'completed',
    arguments: JSON.stringify(args) }
}
