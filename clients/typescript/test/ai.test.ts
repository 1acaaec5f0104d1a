import assert from 'node:assert/strict'
import test from 'node:test'
import { createOpenAI } from '@ai-sdk/openai'
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { generateText, stepCountIs, streamText, tool, wrapLanguageModel, type ModelMessage } from 'ai'
import { z } from 'zod'
import { pactMiddleware } from 'pactctx/ai'
import type { LifecyclePolicy } from 'pactctx'
import { contents, store } from './helpers.js'
import { calls, provider, response, says } from './model.js'

const pact = await store()

/** The real SDK and the real provider of OpenAI, over HTTP, with one tool. */
async function setting(name: string, policy?: LifecyclePolicy) {
  const to = await provider([])
  const context = await pact.create(name)
  const middleware = pactMiddleware(context, policy && { policy })
  const model = wrapLanguageModel({ model: createOpenAI({ baseURL: to.url, apiKey: 'x' })('gpt-5'), middleware })
  const look = tool({ description: 'Looks a thing up', inputSchema: z.object({ what: z.string() }),
    execute: ({ what }) => `${what} `.repeat(100) })
  const settings = { model, tools: { look }, stopWhen: stepCountIs(3), maxRetries: 0, instructions: 'Be short.' }
  return { to, context, middleware, settings }
}

/** The texts, calls and results of a request to the Responses API. */
const inputOf = (body: Record<string, any>) => body.input.map((i: any) => i.arguments ?? i.output ?? (
  typeof i.content === 'string' ? i.content : i.content?.[0]?.text) ?? i.type)

test('each call of a model is a cycle that has the tools, the instructions and the messages', async () => {
  const { to, context, settings } = await setting('recorded')
  const messages: ModelMessage[] = [{ role: 'user', content: 'What is it?' }]
  to.answers.push(response(calls('look', { what: 'tree' })), response(says('A tree.')))
  const first = await generateText({ ...settings, messages })
  assert.equal(first.text, 'A tree.')
  const result = 'tree '.repeat(100)
  assert.deepEqual(inputOf(to.asked[1]!.body), ['Be short.', 'What is it?', '{"what":"tree"}', result])
  const [definition, ...sent] = await contents(context, '@c2')
  assert.equal((definition as { name: string }).name, 'look')
  assert.deepEqual(sent, ['Be short.', 'What is it?', { name: 'look', arguments: { what: 'tree' } }, result])

  messages.push(...first.responseMessages, { role: 'user', content: 'Which?' })
  to.answers.push(response(says('An oak.')))
  await generateText({ ...settings, messages })
  assert.deepEqual(await contents(context, '@c3'), [definition, ...sent, 'A tree.', 'Which?'])
  assert.deepEqual(inputOf(to.asked[2]!.body),
    ['Be short.', 'What is it?', '{"what":"tree"}', result, 'A tree.', 'Which?'])
  const changed = await context.diff('@c2', '@c3')
  assert.equal(changed.components_added.filter((c) => !c.id.includes(':')).length, 2) // all else kept its id
  assert.deepEqual(changed.components_removed.filter((c) => !c.id.includes(':')), [])
  assert.equal((await context.thread({ at: 'working' })).at(-1)?.content, 'An oak.')
})

test('a stream is passed on as it comes, and its answer is recorded', async () => {
  const { to, context, settings } = await setting('streamed')
  to.answers.push(response(calls('look', { what: 'x' })), response(says('Hello')))
  const deltas = []
  for await (const delta of streamText({ ...settings, prompt: 'Hi' }).textStream) deltas.push(delta)
  assert.deepEqual(deltas, ['He', 'llo'])
  assert.deepEqual((await contents(context, 'working')).slice(1),
    ['Be short.', 'Hi', { name: 'look', arguments: { what: 'x' } }, 'x '.repeat(100), 'Hello'])
})

test('a stream with thinking, text and a call is recorded part by part', async () => {
  const { context, middleware } = await setting('parts')
  const params: LanguageModelV4CallOptions = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] }
  const events = [{ type: 'reasoning-start', id: 'r' }, { type: 'reasoning-delta', id: 'r', delta: 'so' },
    { type: 'reasoning-end', id: 'r' }, { type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'He' },
    { type: 'text-delta', id: 't', delta: 'llo' }, { type: 'text-end', id: 't' },
    { type: 'tool-call', toolCallId: 'k', toolName: 'look', input: '{"what":"x"}' }] as const
  await middleware.transformParams!({ type: 'stream', params, model: {} as never })
  const { stream } = await middleware.wrapStream!({ params, model: {} as never, doGenerate: undefined as never,
    doStream: async () => ({ stream: new Blob().stream().pipeThrough(new TransformStream({
      flush: (to) => events.forEach((e) => to.enqueue(e)) })) }) })
  const passed = []
  for await (const part of stream) passed.push(part)
  assert.deepEqual(passed, events)
  assert.deepEqual(await contents(context, 'working'),
    ['Hi', 'so', 'Hello', { name: 'look', arguments: { what: 'x' } }])
})

test('a policy holds, for a process that begins anew with all messages as well', async () => {
  const policy = { max_turns: 3, stub: '[left out]',
    rules: [{ select: ".cb[kind='result'][bytes>200]", head: 20, tail: 0 }] }
  const { to, context, settings } = await setting('limited', policy)
  const messages: ModelMessage[] = [{ role: 'user', content: 'What is it?' }]
  to.answers.push(response(calls('look', { what: 'tree' })), response(says('A tree.')))
  messages.push(...(await generateText({ ...settings, messages })).responseMessages)
  const short = inputOf(to.asked[1]!.body)[3] as string
  assert.ok(short.startsWith('tree tree') && short.length < 200, short)
  for (let i = 0; i < 5; i++) {
    const anew = wrapLanguageModel({ model: createOpenAI({ baseURL: to.url, apiKey: 'x' })('gpt-5'),
      middleware: pactMiddleware(await pact.create('limited', { existOk: true }), { policy }) })
    messages.push({ role: 'user', content: 'Sure?' })
    to.answers.push(response(says('Yes ' + i)))
    messages.push(...(await generateText({ ...settings, model: anew, messages })).responseMessages)
    const sent = inputOf(to.asked.at(-1)!.body)
    const called = (c: any) => c.arguments ? JSON.stringify(c.arguments) : c
    assert.deepEqual(sent, (await contents(context)).slice(1).map(called))
    assert.equal(sent.at(-1), 'Sure?')
  }
  const last = inputOf(to.asked.at(-1)!.body)
  assert.ok(!last.includes('What is it?') && last.includes('[left out]'), String(last))
  assert.equal(messages.length, 4 + 5 * 2)
})

test('the messages of a call come back as they were: files, options, results of every form', async () => {
  const { context, middleware } = await setting('kept')
  const prompt: LanguageModelV4Prompt = [
    { role: 'system', content: 'One.', providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } },
    { role: 'system', content: 'Two.' },
    { role: 'user', content: [{ type: 'text', text: 'see' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([1, 2, 255]) } }] },
    { role: 'user', content: [{ type: 'text', text: 'see' }], providerOptions: { x: { y: 1 } } },
    { role: 'assistant', content: [
      { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 's' } } },
      { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { what: 'x' } },
      { type: 'tool-call', toolCallId: 'b', toolName: 'look', input: {} }] },
    { role: 'tool', content: [
      { type: 'tool-result', toolCallId: 'a', toolName: 'look', output: { type: 'json', value: { deep: [null, 1] } } },
      { type: 'tool-result', toolCallId: 'b', toolName: 'look', output: { type: 'error-text', value: 'no' } }] },
    { role: 'user', content: [{ type: 'text', text: 'and?' }] },
  ]
  const given = structuredClone(prompt)
  const sent = (p: LanguageModelV4Prompt) => middleware.transformParams!({ type: 'generate', params: { prompt: p },
    model: {} as never }).then((params) => params.prompt)
  assert.deepEqual(await sent(prompt), given)
  assert.deepEqual(await sent(prompt), given) // a repeated call changes nothing
  assert.equal((await context.select('@t0 [failed]')).length, 2) // the call and its result
  // What the program leaves out or puts in goes and comes, in its order.
  const summary: LanguageModelV4Prompt[0] = { role: 'user', content: [{ type: 'text', text: 'in short' }] }
  const shorter = [given[1]!, summary, ...given.slice(4)]
  assert.deepEqual(await sent(shorter), shorter)
  const between = [...shorter.slice(0, 2), ...given.slice(3, 4), ...shorter.slice(2)]
  assert.deepEqual(await sent(between), between)
  assert.deepEqual(await sent(given), given)
  // A call with other arguments, and a result without its call: results refer to what is there.
  const call = given[4]!.content as { type: 'tool-call' }[]
  const other = [call[0], { ...call[1], input: { what: 'y' } }, call[2]]
  const changed = given.with(4, { ...given[4]!, content: other } as never)
  assert.deepEqual(await sent(changed), changed)
  const alone = given.with(4, { ...given[4]!, content: [call[0], call[2]] } as never)
  assert.deepEqual(await sent(alone), alone)
  assert.deepEqual(await sent(given), given)
  assert.equal((await context.select("@t0 [kind='result'][tool='look']")).length, 2)
})
