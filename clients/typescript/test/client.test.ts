import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import test from 'node:test'
import { connect, isPactError, PactError } from 'pactctx'
import { contents, store } from './helpers.js'

const pact = await store()
const say = (content: string, id: string) =>
  ({ op: 'add' as const, into: '^ah', node: { id, role: 'user', kind: 'text', content } })

test('a conversation is edited, committed, read in the messages of each API, compared and taken back', async () => {
  const chat = await pact.create('a/chat')
  assert.equal(chat.cycle, 0)
  await chat.add('^sys', { id: 'rules', role: 'system', kind: 'text', content: 'Be short.' })
  const asked = { role: 'user', kind: 'text', content: 'Hello?' }
  const question = await chat.add('^ah', asked, { message: 'first', actor: 'anna' })
  const first = await chat.commit({ message: 'asked' })
  assert.deepEqual([first.cycle, chat.cycle, first.blocks], [1, 1, 2])
  assert.deepEqual((await chat.thread()).map((b) => [b.id, b.role, b.content]),
    [['rules', 'system', 'Be short.'], [question, 'user', 'Hello?']])
  assert.deepEqual(await chat.thread({ as: 'openai' }),
    [{ role: 'system', content: 'Be short.' }, { role: 'user', content: 'Hello?' }])
  const anthropic = await chat.thread({ as: 'anthropic' })
  assert.equal(anthropic.messages[0]?.role, 'user')
  assert.match(await chat.thread({ as: 'text' }), /Hello\?/)

  await chat.add('^ah', { id: 'answer', role: 'assistant', kind: 'text', content: 'Hi.' })
  await chat.commit({ edits: [say('And now?', 'more')] })
  assert.deepEqual((await chat.select("@t0 .cb[role='user']")).sort(), [question, 'more'].sort())
  const changed = await chat.diff()
  const added = changed.components_added.map((c) => c.id).filter((id) => !id.includes(':'))
  assert.deepEqual(added.sort(), ['answer', 'more'])
  const life = await chat.life('answer')
  assert.equal(life.first_snapshot, 2)

  const fork = await chat.fork('what-if', '@c1')
  assert.deepEqual(await contents(fork), ['Be short.', 'Hello?'])
  assert.equal(await chat.undo(), 'a/chat~c2')
  assert.equal(chat.cycle, 1)
  const names = []
  for await (const c of pact.contexts()) names.push(c.name)
  assert.deepEqual(names, ['a/chat', 'a/chat~c2', 'what-if'])
  await fork.delete()
  assert.equal((await pact.call('list-contexts')).items.length, 2)
})

test('without an address the latest snapshots are meant, in every edition', async () => {
  const c = await pact.create('newest', { edition: '1.0' })
  for (const id of ['one', 'two']) await c.commit({ edits: [say(id, id)] })
  await c.edit([say('three', 'three')])
  const added = (await c.diff()).components_added.map((n) => n.id).filter((id) => !id.includes(':'))
  assert.deepEqual(added, ['two'])
  await assert.rejects(c.select('(d1..'), (e) => isPactError(e, 'E_SELECTOR_INVALID') && e.offset === 3 && e.token === '..')
  const fork = await c.fork('newest-fork')
  assert.deepEqual([fork.cycle, (await fork.thread()).map((b) => b.id)], [2, ['one', 'two']])
  await fork.delete()
})

test('a policy holds, by its limits and by its name, and a plan says what it would do', async () => {
  const c = await pact.create('limited')
  for (let i = 1; i <= 3; i++) await c.commit({ edits: [say('word '.repeat(20) + i, 'q' + i)] })
  const plan = await c.plan({ max_turns: 2 })
  assert.deepEqual(plan.report?.removed?.map((r) => r.id).filter((id) => id.startsWith('q')), ['q1', 'q2'])
  assert.equal((await c.thread()).length, 3)
  const done = await c.commit({ policy: { max_turns: 2 }, edits: [say('last', 'q4')] })
  assert.equal(done.report?.policy?.max_turns, 2)
  assert.deepEqual((await c.thread()).map((b) => b.id), ['q3', 'q4'])
  await c.commit({ policy: 'chat', edits: [say('more', 'q5')] })
  await assert.rejects(c.commit({ policy: 'chatt' }), /there is no ready policy "chatt".*chat/)
})

test('a refusal has its code, what to do, and what others wrote', async () => {
  const c = await pact.create('refused')
  const other = await pact.context('refused')
  await other.commit({ edits: [say('first', 'first')] })
  const late = await c.commit({ edits: [say('late', 'late')] }).catch((problem: unknown) => problem)
  assert.ok(isPactError(late, 'E_CONFLICT'))
  assert.deepEqual([late.status, late.meanwhile.map((w) => w.kind)], [409, ['commit']])
  await c.refresh()
  await c.commit({ edits: [say('late', 'late')] })
  const wrong = await c.select('.cb[role=').catch((problem: unknown) => problem)
  assert.ok(wrong instanceof PactError && wrong.code === 'E_SELECTOR_INVALID' && wrong.offset! > 0 && wrong.remedy)
  await assert.rejects(c.commit({ edits: [{ op: 'remove', id: 'gone' }] }), (e) => isPactError(e) && e.message.includes('node "gone"'))
  await assert.rejects(c.thread({ at: '@c9' }), (e) => isPactError(e, 'E_SNAPSHOT_NOT_FOUND'))
  await assert.rejects(connect(pact.url, 'wrong').call('list-contexts'), (e) => isPactError(e, 'E_UNAUTHORIZED'))
  await assert.rejects(connect('http://127.0.0.1:9').context('x'),
    (e) => isPactError(e, 'E_UNREACHABLE') && e.status === 0)
})

test('a repeated request with a key does nothing more', async () => {
  const c = await pact.create('repeated')
  const options = { idempotencyKey: 'k', edits: [say('once', 'once')] }
  const first = await c.commit(options)
  const again = await pact.call('commit', { name: c.name }, { cycle: 0, edits: options.edits }, options)
  assert.deepEqual([first.repeated, again.repeated, again.cycle], [undefined, true, 1])
})

test('a request with a key whose answer is lost is sent once more, one without is not', async () => {
  let asked = 0
  const server = createServer((_, answer) => {
    if (++asked % 2 === 1) return void answer.destroy() // the first answer is lost
    answer.setHeader('Content-Type', 'application/json').end('{"revision":1,"digest":""}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const lossy = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}/#token=t`)
  assert.equal((await lossy.call('edit', { name: 'x' }, { cycle: 0, edits: [] }, { idempotencyKey: 'k' })).revision, 1)
  assert.equal(asked, 2)
  await assert.rejects(lossy.call('create-context', {}, { name: 'x' }), (e) => isPactError(e, 'E_UNREACHABLE'))
  assert.equal(asked, 3)
  server.close()
})

test('a signal ends what waits', async () => {
  const c = await pact.create('ended')
  await assert.rejects(c.thread({ at: 'working', signal: AbortSignal.abort() }), { name: 'AbortError' })
  const events = new AbortController()
  const stream = await pact.send('events', { context: 'ended' }, undefined, { signal: events.signal })
  events.abort()
  await assert.rejects(stream.text(), { name: 'AbortError' })
})

test('a log is imported, and every operation can be called', async () => {
  const log = [{ role: 'user', content: 'Hi' }, { role: 'assistant', content: 'Ho' }]
  const [made] = await pact.import('log', JSON.stringify(log))
  assert.equal(made?.name, 'log')
  const picture = await pact.call('strata', { name: 'log' })
  assert.equal(picture.unit, 'bytes')
  assert.match(await pact.call('verify', { name: 'log' }), /"done"/)
  const worth = await made!.simulate(['agent'])
  assert.deepEqual([worth.calls, worth.outcomes.length], [1, 2])
})
