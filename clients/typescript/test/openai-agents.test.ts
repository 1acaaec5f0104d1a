import assert from 'node:assert/strict'
import test from 'node:test'
import {
  Agent, OpenAIProvider, OpenAIResponsesCompactionSession, Runner, tool, type AgentInputItem, type Session,
} from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'
import type { LifecyclePolicy } from 'pactctx'
import { PactSession } from 'pactctx/openai-agents'
import { contents, store } from './helpers.js'
import { calls, provider, response, says } from './model.js'

const pact = await store()
const user = (text: string): AgentInputItem => ({ role: 'user', content: [{ type: 'input_text', text }] })

/** A run of the real SDK over HTTP, with one tool. */
async function setting(name: string, policy?: LifecyclePolicy) {
  const model = await provider([])
  const openAIClient = new OpenAI({ baseURL: model.url, apiKey: 'x', maxRetries: 0 })
  const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient }), tracingDisabled: true })
  const look = tool({ name: 'look', description: 'Looks a thing up', parameters: z.object({ what: z.string() }),
    execute: ({ what }) => `${what} `.repeat(100) })
  const agent = new Agent({ name: 'a', model: 'gpt-5', instructions: 'Be short.', tools: [look] })
  const context = await pact.create(name)
  const session = new PactSession(context, policy && { policy })
  return { model, openAIClient, context, session, agent, runner,
    ask: (text: string, of: Session = session) =>
      runner.run(agent, text, { session: of, callModelInputFilter: session.filter }) }
}

/** The texts, calls and results of a request to the Responses API. */
const inputOf = (body: Record<string, any>) => body.input.map((i: any) => i.arguments ?? i.output ?? (
  typeof i.content === 'string' ? i.content : i.content?.[0]?.text) ?? i.type)

test('items come back as they were added, the newest last', async () => {
  const session = new PactSession(await pact.create('items'))
  assert.equal(await session.getSessionId(), 'items')
  assert.deepEqual(await session.getItems(), [])
  assert.equal(await session.popItem(), undefined)
  const items: AgentInputItem[] = [user('one'), user('two'), user('one'),
    { role: 'user', content: 'plain' },
    { role: 'user', content: [{ type: 'input_text', text: 'see' }, { type: 'input_image', image: 'data:,' }] },
    { type: 'reasoning', id: 'rs_1', content: [], providerData: { encrypted_content: 'x' } },
    { type: 'function_call', id: 'f', callId: 'c', name: 'look', status: 'completed', arguments: '{"what":"x"}' },
    { type: 'function_call_result', callId: 'c', name: 'look', status: 'completed',
      output: { type: 'text', text: 'found' } },
    { type: 'hosted_tool_call', name: 'web', status: 'completed' },
    { type: 'compaction', encrypted_content: 'abc' },
    { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done' }] }]
  const given = structuredClone(items)
  await session.addItems(items.slice(0, 2))
  await session.addItems(items.slice(2))
  assert.deepEqual(await session.getItems(), given)
  assert.deepEqual(await session.getItems(2), given.slice(-2))
  assert.deepEqual(await session.getItems(0), [])
  assert.deepEqual(await new PactSession(await pact.context('items')).popItem(), given.at(-1))
  await session.clearSession()
  assert.deepEqual(await session.getItems(), [])
  await session.addItems(items) // ids of what was removed are not given again
  assert.deepEqual(await session.getItems(), given)
})

test('each call of the model is a cycle that has what was sent', async () => {
  const { model, context, session, ask } = await setting('recorded')
  model.answers.push(response(calls('look', { what: 'tree' })), response(says('It is a tree.')))
  const done = await ask('What is it?')
  assert.equal(done.finalOutput, 'It is a tree.')
  await context.refresh()
  assert.equal(context.cycle, 2)
  const result = 'tree '.repeat(100)
  assert.deepEqual(await contents(context, '@c1'), ['Be short.', 'What is it?'])
  assert.deepEqual(await contents(context, '@c2'),
    ['Be short.', 'What is it?', { name: 'look', arguments: '{"what":"tree"}' }, result])
  assert.deepEqual(inputOf(model.asked[1]!.body), ['What is it?', '{"what":"tree"}', result])
  assert.equal(model.asked[1]!.body.instructions, 'Be short.')
  const items = await session.getItems()
  assert.deepEqual(items.map((i) => i.type), ['message', 'function_call', 'function_call_result', 'message'])

  model.answers.push(response(says('An oak.')))
  await ask('Which?')
  assert.deepEqual(inputOf(model.asked[2]!.body), ['What is it?', '{"what":"tree"}', result, 'It is a tree.', 'Which?'])
  assert.deepEqual(await contents(context, '@c3'), [...await contents(context, '@c2'), 'It is a tree.', 'Which?'])
  const added = (await context.diff('@c2', '@c3')).components_added.filter((c) => !c.id.includes(':'))
  assert.equal(added.length, 2) // all else kept its id
  const results = await context.select("@c2 [kind='result']")
  assert.deepEqual(await context.select("@t0 [kind='result'][tool='look']"), results)
})

test('a run that streams is recorded as one that does not', async () => {
  const { model, context, session, agent, runner } = await setting('streamed')
  model.answers.push(response(calls('look', { what: 'tree' })), response(says('A tree.')))
  const options = { session, callModelInputFilter: session.filter, stream: true as const }
  const stream = await runner.run(agent, 'What is it?', options)
  for await (const _ of stream) { /* the events of the SDK */ }
  await stream.completed
  const sent = ['Be short.', 'What is it?', { name: 'look', arguments: '{"what":"tree"}' }, 'tree '.repeat(100)]
  assert.deepEqual(await contents(context, '@c2'), sent)
  assert.deepEqual((await session.getItems()).map((i) => i.type ?? 'message'),
    ['message', 'function_call', 'function_call_result', 'message'])
  assert.deepEqual(await contents(context, 'working'), [...sent, 'A tree.'])
})

test('a policy holds within a run and from run to run', async () => {
  const { model, context, session, ask } = await setting('limited', {
    rules: [{ select: ".cb[kind='result'][bytes>200]", head: 20, tail: 0 }], max_turns: 3, stub: '[left out]' })
  model.answers.push(response(calls('look', { what: 'tree' })), response(says('A tree.')))
  await ask('What is it?')
  const short = inputOf(model.asked[1]!.body)[2] as string
  assert.ok(short.startsWith('tree tree') && short.length < 200, short)
  const [, , shaped] = await session.getItems()
  assert.equal((shaped as { output: { text: string } }).output.text, short)
  for (let i = 0; i < 4; i++) {
    model.answers.push(response(says('Yes ' + i)))
    await ask('Sure?')
  }
  const last = inputOf(model.asked.at(-1)!.body)
  assert.deepEqual(last, (await contents(context)).slice(1))
  assert.ok(!last.includes('What is it?') && last.includes('[left out]'), String(last))
  assert.equal(last.at(-1), 'Sure?')
  const [gone] = await context.select("@c1 .cb[role='user']")
  assert.equal((await context.life(gone!)).state, 'gone')
})

test('a call that fails leaves no item, and the next run sends its question once', async () => {
  const { model, context, session, ask } = await setting('failed')
  await assert.rejects(ask('Hello?'))
  assert.deepEqual(await session.getItems(), [])
  model.answers.push(response(says('Hi.')))
  await ask('Hello?')
  assert.deepEqual(inputOf(model.asked[1]!.body), ['Hello?'])
  assert.deepEqual((await session.getItems()).length, 2)
  assert.deepEqual(await contents(context), ['Be short.', 'Hello?'])
})

test('a compaction of the SDK replaces what the context has', async () => {
  const { model, openAIClient, context, session, ask } = await setting('compacted')
  const compacting = new OpenAIResponsesCompactionSession({ client: openAIClient, underlyingSession: session,
    model: 'gpt-5', compactionMode: 'input', shouldTriggerCompaction: ({ sessionItems }) => sessionItems.length >= 4 })
  model.answers.push(response(says('One.')))
  await ask('First?', compacting)
  model.answers.push(response(says('Two.')), response({ type: 'compaction', id: 'cmp_1', encrypted_content: 'abc' }))
  await ask('Second?', compacting)
  assert.deepEqual(model.asked.map((a) => a.path).at(-1), '/v1/responses/compact')
  assert.deepEqual((await session.getItems()).map((i) => i.type), ['compaction'])
  model.answers.push(response(says('Three.')))
  await ask('Third?', compacting)
  assert.deepEqual(model.asked.at(-1)!.body.input.map((i: any) => i.type ?? i.role), ['compaction', 'user'])
  assert.equal((await context.thread()).length, 3)
  const removed = (await context.diff('@c2', '@c3')).components_removed.filter((c) => !c.id.includes(':'))
  assert.equal(removed.length, 3) // what was sent before; the answer to it was never sent
})

test('a transaction of the history is done once, also when another process repeats it', async () => {
  const append = (...items: AgentInputItem[]) =>
    ({ operationId: 'op-1', transaction: { type: 'append_items' as const, items } })
  const anew = async () => new PactSession(await pact.create('transactions', { existOk: true }))
  const session = await anew()
  await session.applyHistoryTransaction(append(user('one')))
  await session.addItems([user('two')])
  await (await anew()).applyHistoryTransaction(append(user('one')))
  assert.deepEqual(await session.getItems(), [user('one'), user('two')])
  await assert.rejects((await anew()).applyHistoryTransaction(append(user('other'))), /already applied/)
  const replace = (expected: string) => ({ operationId: 'op-2', transaction: { type: 'replace_suffix' as const,
    expectedSuffix: [user(expected)], replacement: [user('three'), user('four')] } })
  await assert.rejects(session.applyHistoryTransaction(replace('one')), /no longer matches/)
  await session.applyHistoryTransaction(replace('two'))
  await (await anew()).applyHistoryTransaction(replace('two'))
  assert.deepEqual(await session.getItems(), [user('one'), user('three'), user('four')])
  await session.clearSession()
  await session.applyHistoryTransaction(append(user('five')))
  assert.deepEqual(await session.getItems(), [user('five')])
})

test('a call of the history is replaced, also if only what is not sent differs', async () => {
  const session = new PactSession(await pact.create('mutations'))
  const call = { type: 'function_call' as const, callId: 'c', name: 'look', arguments: '{}',
    status: 'in_progress' as const }
  await session.addItems([user('one'), { ...call, id: 'a' }, { ...call, id: 'b' }, user('two')])
  const replacement = { ...call, id: 'd', status: 'completed' as const }
  await session.applyHistoryMutations({ mutations: [{ type: 'replace_function_call', callId: 'c', replacement }] })
  assert.deepEqual(await session.getItems(), [user('one'), replacement, user('two')])
})

test('what a call sends besides is no item, and an item that moves stays one', async () => {
  const session = new PactSession(await pact.create('besides'))
  const send = (...texts: string[]) =>
    session.filter({ modelData: { input: texts.map(user) }, agent: {} as never, context: undefined })
  await session.addItems([user('a'), user('b')])
  await send('a', 'x', 'b')
  assert.deepEqual(await session.getItems(), [user('a'), user('b')])
  await session.addItems([user('x')]) // as the runner does with its input
  await send('a', 'y', 'x', 'b')
  assert.deepEqual(await session.getItems(), [user('a'), user('x'), user('b')])
  await send('b', 'a')
  assert.deepEqual(await session.getItems(), [user('b'), user('a')])
})

test('an instruction that changes is a new version of its node, and a note of the context is sent too', async () => {
  const session = new PactSession(await pact.create('instructed'))
  const c = await pact.context('instructed')
  const send = (instructions: string) =>
    session.filter({ modelData: { input: [user('Hi')], instructions }, agent: {} as never, context: undefined })
  assert.deepEqual(await send('Be short.'), { input: [user('Hi')], instructions: 'Be short.' })
  await c.refresh()
  await c.add('^sys', { role: 'system', kind: 'text', content: 'Speak French.', offset: 9 })
  assert.deepEqual(await send('Be long.'), { input: [user('Hi')], instructions: 'Be long.\n\nSpeak French.' })
  const [changed] = (await c.diff()).components_modified.filter((m) => m.id === 'instructions')
  assert.ok(changed)
})
