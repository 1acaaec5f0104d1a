import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test from 'node:test'
import { connect, isPactError, open } from 'pactctx'
import { folder, program, until } from './helpers.js'

const dir = folder()
const answers = (url: string) => fetch(url + '/healthz').then((a) => a.status === 204, () => false)

test('await using ends the server, and the file keeps what was committed', async () => {
  const db = join(dir, 'kept.db')
  let url
  {
    await using pact = await open(db)
    const c = await pact.create('chat')
    await c.commit({ edits: [{ op: 'add', into: '^ah', node: { role: 'user', content: 'Hi' } }] })
    url = pact.url
    assert.ok(await answers(url))
  }
  assert.equal(await answers(url), false)
  await using again = await open(db)
  assert.equal((await again.context('chat')).cycle, 1)
})

test('a token that may only read finds a context that is there, and makes none', async () => {
  const db = join(dir, 'read.db')
  await using pact = await open(db)
  await pact.create('chat')
  const token = execFileSync(process.env.PACT_BINARY!, ['token', 'add', 'reader', '--read', '--db', db],
    { encoding: 'utf8' }).trim()
  const reader = connect(pact.url, token)
  assert.equal((await reader.create('chat', { existOk: true })).name, 'chat')
  await assert.rejects(reader.create('chat'), (e) => isPactError(e, 'E_FORBIDDEN'))
  await assert.rejects(reader.create('new', { existOk: true }), (e) => isPactError(e, 'E_FORBIDDEN'))
})

test('a program that only opens a file ends, and its server with it', async () => {
  const child = program(`const pact = await open('${join(dir, 'short.db')}')\nconsole.log(pact.url)`)
  const [line] = await once(createInterface({ input: child.stdout }), 'line') as [string]
  assert.deepEqual(await once(child, 'close'), [0, null])
  await until(async () => !await answers(line))
})

test('the server ends with a program that is killed', async () => {
  const child = program(`const pact = await open('${join(dir, 'killed.db')}')
    await pact.create('chat')
    console.log(pact.url)
    setInterval(() => {}, 1000)`)
  const [line] = await once(createInterface({ input: child.stdout }), 'line') as [string]
  assert.ok(await answers(line))
  child.kill('SIGKILL')
  await until(async () => !await answers(line))
  await using pact = await open(join(dir, 'killed.db'))
  assert.equal((await pact.context('chat')).cycle, 0)
})

const windows = process.platform === 'win32'
test('a program whose server is killed is told so, and opens the file again', { skip: windows }, async () => {
  const script = join(dir, 'pact.sh')
  writeFileSync(script, `#!/bin/sh\necho $$ > '${dir}/pid'\nexec '${process.env.PACT_BINARY}' "$@"\n`, { mode: 0o755 })
  const db = join(dir, 'lost.db')
  const pact = await open(db, { binary: script })
  const c = await pact.create('chat')
  await c.commit({ edits: [{ op: 'add', into: '^ah', node: { role: 'user', content: 'Hi' } }] })
  execFileSync('kill', ['-9', readFileSync(join(dir, 'pid'), 'utf8').trim()])
  await until(() => c.refresh().then(() => false, (e) => isPactError(e) && e.message.includes('SIGKILL')))
  await assert.rejects(c.add('^ah', { content: 'lost' }),
    (e) => isPactError(e, 'E_UNREACHABLE') && e.remedy!.includes('open'))
  await pact.close()
  await using again = await open(db)
  assert.equal((await again.context('chat')).cycle, 1)
})

test('what cannot be opened is refused with the reason', async () => {
  await assert.rejects(open(join(dir, 'no', 'such', 'folder.db')),
    (e) => isPactError(e, 'E_NOT_FOUND') && e.remedy!.includes('directory'))
  await assert.rejects(open(join(dir, 'x.db'), { binary: join(dir, 'missing') }), (e) => isPactError(e, 'E_PROGRAM'))
  await assert.rejects(open(join(dir, 'x.db'), { signal: AbortSignal.abort() }), { name: 'AbortError' })
})
