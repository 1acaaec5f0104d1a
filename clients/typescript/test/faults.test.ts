// What goes wrong around a client: each fault of clients/faults.json, which the client in Python is tested by too.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test, { after } from 'node:test'
import { connect, isPactError, open, type Context, type NewNode, type Pact, type PactError } from 'pactctx'
import { folder, program, until } from './helpers.js'

const faults = JSON.parse(readFileSync(new URL('../faults.json', import.meta.url), 'utf8')) as
  { fault: string; then: string; not?: Record<string, string> }[]
const dir = folder()
const ok = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'
const busy = '{"code":"E_TOO_MANY","detail":"full","status":429}'
const tooMany = `HTTP/1.1 429 Too Many Requests\r\nContent-Length: ${busy.length}\r\n\r\n${busy}`

/** A server that answers each request with the next of some texts, and then with nothing at all. */
async function stub(...answers: string[]) {
  const sockets = new Set<Socket>()
  const made = { asked: 0, url: '' }
  const server = createServer((socket) => {
    sockets.add(socket)
    let held = ''
    socket.on('error', () => {}).on('data', (data) => {
      held += data.toString('latin1')
      for (let end = held.indexOf('\r\n\r\n'); end >= 0; end = held.indexOf('\r\n\r\n')) {
        const length = Number(/content-length: (\d+)/i.exec(held.slice(0, end))?.[1] ?? 0)
        if (held.length < end + 4 + length) return
        held = held.slice(end + 4 + length)
        made.asked++
        const answer = answers.shift()
        if (answer?.includes('Content-Length')) socket.write(answer)
        else if (answer) socket.end(answer)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => { server.close(); for (const s of sockets) s.destroy() })
  made.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return made
}

/** A server that writes a text and then one byte more each tenth of a second. */
async function drip(text: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).write(text.replace('Length: 2', 'Length: 999'))
    const timer = setInterval(() => socket.write(' '), 100)
    socket.on('close', () => clearInterval(timer)).resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function refused(code: string, work: () => unknown): Promise<PactError> {
  const problem = await Promise.resolve().then(work).then(() => undefined, (e: unknown) => e)
  assert.ok(isPactError(problem, code), `${code} is expected, and not ${String(problem)}`)
  return problem
}

/** A program in place of pact. */
function script(lines: string): string {
  const path = join(dir, `stand-in-${Math.random()}`)
  writeFileSync(path, `#!/bin/sh\n${lines}\n`)
  chmodSync(path, 0o755)
  return path
}

let count = 0
const file = () => join(dir, `${++count}.db`)

async function fresh(work: (pact: Pact, chat: Context, db: string) => Promise<unknown>): Promise<void> {
  const db = file()
  await using pact = await open(db)
  await work(pact, await pact.create('chat'), db)
}

/** The number of the process of a server that a stand-in starts. */
async function started(timeout: number) {
  const binary = script(`echo $$ > '${dir}/pid'\nexec '${process.env.PACT_BINARY}' "$@"`)
  const pact = await open(file(), { binary, timeout })
  return { pact, pid: Number(readFileSync(join(dir, 'pid'), 'utf8')) }
}

const token = (db: string) =>
  (JSON.parse(execFileSync(process.env.PACT_BINARY!, ['token', 'add', 'new', '--write', '--db', db, '--json'],
    { encoding: 'utf8' })) as { token: string }).token

const tested: Record<string, () => Promise<unknown>> = {
  'silent': async () => {
    const { url } = await stub()
    const told = await refused('E_UNREACHABLE', () => connect(url, 't', { timeout: 300 }).context('chat'))
    assert.match(told.message, /300 ms/)
  },
  'given up': async () => {
    const { url } = await stub()
    const child = program(`await connect('${url}', 't').context('chat', { signal: AbortSignal.timeout(300) })
      .catch((e) => console.log(e.name))`)
    const [line] = await once(createInterface({ input: child.stdout }), 'line') as [string]
    assert.equal(line, 'TimeoutError')
    assert.deepEqual(await once(child, 'close'), [0, null])
  },
  'slow': async () => {
    for (const text of [ok.split('\r\n\r\n')[0]!, ok + ' ']) { // within the head, and within the body
      const url = await drip(text)
      const told = await refused('E_UNREACHABLE', () => connect(url, 't', { timeout: 500 }).context('chat'))
      assert.match(told.message, /500 ms/)
    }
  },
  'silent start': async () => {
    for (const lines of ['exec sleep 600', 'sleep 600\ntrue']) { // the second is a script that starts a program
      const told = await refused('E_PROGRAM', () => open(file(), { binary: script(lines), timeout: 300 }))
      assert.match(told.message, /said nothing within 300 ms/)
    }
  },
  'missing program': async () => {
    const told = await refused('E_PROGRAM', () => open(file(), { binary: join(dir, 'missing') }))
    assert.match(told.remedy!, /PACT_BINARY/)
  },
  'stopped': async () => {
    const { pact, pid } = await started(10_000)
    process.kill(pid, 'SIGSTOP')
    await until(() => execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('T'))
    await pact.close()
    assert.throws(() => process.kill(pid, 0))
  },
  'crash': async () => {
    const { pact, pid } = await started(60_000)
    process.kill(pid, 'SIGABRT') // Go writes what was running, as at a panic
    await until(() => { try { return !process.kill(pid, 0) } catch { return true } })
    const told = await refused('E_UNREACHABLE', () => pact.create('chat'))
    assert.match(told.message, /SIGABRT: abort/)
    assert.doesNotMatch(told.message, /goroutine 1 \[/)
    await pact.close()
  },
  'interrupt': async () => {
    const db = file()
    const child = program(`const pact = await open('${db}')
      const chat = await pact.create('chat')
      process.on('SIGINT', async () => {
        const { cycle } = await chat.commit({ message: 'last' })
        console.log('done', cycle)
        process.exit(0)
      })
      setInterval(() => {}, 1000)
      console.log('ready')`, true)
    const lines = createInterface({ input: child.stdout })
    const said = lines[Symbol.asyncIterator]()
    assert.equal((await said.next()).value, 'ready')
    process.kill(-child.pid!, 'SIGINT') // as a terminal does, to all processes of the job
    assert.equal((await said.next()).value, 'done 1')
  },
  'too long': () => fresh(async (pact, chat) => {
    for (const size of [9, 40]) {
      await refused('E_LIMIT', () => chat.add('^ah', { content: 'x'.repeat(size << 20) }))
    }
    await refused('E_LIMIT', () => pact.import('long', new Uint8Array(257 << 20)))
    await chat.refresh()
  }),
  'too long for a stranger': () => fresh((pact) =>
    refused('E_UNAUTHORIZED', () => connect(pact.url, 'wrong').import('long', new Uint8Array(40 << 20)))),
  'other letters': () => fresh(async (_, chat) => {
    const content = 'ü'.repeat(3 << 20)
    await chat.add('^ah', { role: 'user', content })
    assert.equal((await chat.thread({ at: 'working' }))[0]!.content, content)
  }),
  'no JSON': () => fresh(async (_, chat) => {
    const ring: unknown[] = []
    ring.push(ring)
    for (const content of [NaN, Infinity, () => 1, Symbol('s'), 10n, undefined, new Map([[1, 2]]), new Set([1]),
      new Uint8Array(2), Buffer.from('x'), new Date(NaN), new Error('lost'), /x/, ring, { a: [undefined] }, { a: undefined }, [[{ b: NaN }]]]) {
      await refused('E_DOCUMENT_INVALID', () => chat.add('^ah', { content }))
    }
    const attrs = { data_x: undefined }
    await refused('E_DOCUMENT_INVALID', () => chat.add('^ah', { content: 'x', attrs }))
    assert.deepEqual(await chat.thread({ at: 'working' }), [])
    await chat.add('^ah', { content: [new Date(0), null, { a: 1.5 }], role: undefined } as unknown as NewNode)
    assert.deepEqual((await chat.thread({ at: 'working' }))[0]!.content, ['1970-01-01T00:00:00.000Z', null, { a: 1.5 }])
  }),
  'half a character': () => fresh(async (pact, chat) => {
    const id = await chat.add('^ah', { role: 'user', kind: 'text', content: 'x\ud800y' })
    await chat.commit()
    assert.equal((await chat.thread())[0]!.content, 'x\ud800y')
    assert.equal((await chat.thread({ as: 'openai' }))[0]!.content, 'x\ud800y')
    assert.equal((await pact.call('get-node', { name: 'chat', id })).text, 'x\ud800y')
    assert.match(JSON.stringify(await pact.call('export', { name: 'chat', form: 'document' })), /x\\ud800y/)
    await refused('E_DOCUMENT_INVALID', () => pact.context('\ud800'))
    await refused('E_DOCUMENT_INVALID', () => pact.create('\ud800'))
    await refused('E_DOCUMENT_INVALID', () => chat.commit({ message: '\ud800' }))
    await refused('E_DOCUMENT_INVALID', () => pact.call('grep', { q: '\ud800' }))
  }),
  'race': () => fresh(async (pact) => {
    for (let n = 0; n < 5; n++) {
      const made = await Promise.all(Array.from({ length: 8 }, () => pact.create(`c${n}`, { existOk: true })))
      assert.deepEqual(made.map((c) => c.cycle), Array(8).fill(0))
    }
    await refused('E_CONFLICT', () => pact.create('chat'))
  }),
  'dots': () => fresh(async (pact, chat) => {
    for (const name of ['.', '..']) {
      await refused('E_DOCUMENT_INVALID', () => pact.context(name))
      await refused('E_DOCUMENT_INVALID', () => pact.create(name))
      await refused('E_DOCUMENT_INVALID', () => chat.life(name))
      await refused('E_DOCUMENT_INVALID', () => chat.add('^ah', { id: name, content: 'x' }))
    }
    await refused('E_DOCUMENT_INVALID', () => pact.context(''))
    const id = '../a/./b'
    assert.equal(await chat.add('^ah', { id, content: 'x' }), id)
    assert.equal((await pact.call('get-node', { name: 'chat', id, at: 'working' })).text, 'x')
  }),
  'redirect': async () => {
    const { url } = await stub('HTTP/1.1 307 Temporary Redirect\r\nLocation: /v1/contexts\r\nContent-Length: 0\r\n\r\n')
    await refused('E_ANSWER', () => connect(url, 't').context('chat'))
  },
  'page': async () => {
    const page = 'Content-Type: text/html\r\nContent-Length: 14\r\n\r\n<h1>Sorry</h1>'
    for (const status of ['502 Bad Gateway', '200 OK']) {
      const { url } = await stub(`HTTP/1.1 ${status}\r\n${page}`)
      assert.equal((await refused('E_ANSWER', () => connect(url, 't').context('chat'))).status, parseInt(status))
    }
    for (const answer of ['204 No Content\r\nContent-Length: 0\r\n\r\n',
      ...['[]', '{}'].map((body) => `200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n${body}`)]) {
      const { url } = await stub(`HTTP/1.1 ${answer}`)
      await refused('E_ANSWER', () => connect(url, 't').context('chat'))
    }
    const { url } = await stub('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n' +
      'Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":')
    await refused('E_UNREACHABLE', () => connect(url, 't').context('chat'))
  },
  'address': async () => {
    for (const url of ['127.0.0.1:7741', 'ftp://127.0.0.1', 'http://']) {
      await refused('E_DOCUMENT_INVALID', () => connect(url, 't'))
    }
    for (const nothing of ['', undefined]) await refused('E_DOCUMENT_INVALID', () => open(nothing as string))
    for (const timeout of [0, -1, NaN]) {
      await refused('E_DOCUMENT_INVALID', () => connect('http://127.0.0.1:9', 't', { timeout }))
    }
  },
  'many': () => fresh(async (pact) => {
    const found = await Promise.all(Array.from({ length: 200 }, () => pact.context('chat')))
    assert.equal(found.length, 200)
  }),
  'busy': async () => {
    const made = '{"name":"chat","edition":"canonical","first_cycle":1,"last_cycle":0,"cycles":0,"revision":1}'
    const server = await stub(tooMany, tooMany, ok.replace('2\r\n\r\n{}', `${made.length}\r\n\r\n${made}`))
    await connect(server.url, 't').create('chat')
    assert.equal(server.asked, 3)
  },
  'new token': () => fresh(async (pact, _, db) => {
    await refused('E_UNAUTHORIZED', () => connect(pact.url, 'wrong').create('x'))
    await connect(pact.url, token(db)).create('x')
  }),
  'closed': async () => {
    const pact = await open(file())
    await pact.close()
    await pact.close()
    await refused('E_CLOSED', () => pact.create('chat'))
  },
  'typing error': () => fresh(async (pact, chat) => {
    await refused('E_CONTEXT_NOT_FOUND', () => pact.context('caht'))
    assert.match((await refused('E_DOCUMENT_INVALID', () => chat.commit({ policy: 'agnet' }))).remedy!, /agent/)
    await refused('E_DOCUMENT_INVALID', () => pact.policy('agnet'))
    await refused('E_DOCUMENT_INVALID', () => pact.call('stratta' as 'strata'))
    await refused('E_DOCUMENT_INVALID', () => pact.call('strata'))
    const told = await refused('E_DOCUMENT_INVALID', () => chat.add('^ah', { tll: 3 } as NewNode))
    assert.match(told.message, /tll is no member of a node/)
    assert.match(told.remedy!, /ttl/)
    const names: string[] = []
    for await (const { name } of pact.contexts()) names.push(name)
    assert.deepEqual([names, (await pact.context('chat')).cycle], [['chat'], 0])
  }),
}

for (const { fault, then, not } of faults) {
  if (not?.typescript) continue
  const options = { skip: process.platform === 'win32', timeout: 120_000 }
  test(`${fault}: ${then}`, options, async () => void await tested[fault]!())
}

test('a program without the types of Node compiles with the client', { skip: 'bun' in process.versions }, () => {
  const consumer = join(process.cwd(), 'consumer')
  mkdirSync(consumer, { recursive: true })
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ include: ['.'], compilerOptions: { noEmit: true,
    strict: true, target: 'ES2022', module: 'NodeNext', types: [], lib: ['ES2022', 'DOM'] } }))
  writeFileSync(join(consumer, 'main.ts'), `import { connect, open, isPactError, type Pact } from 'pactctx'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
export async function main(): Promise<number> {
  await using pact: Pact = await open('a.db', { timeout: 1000 })
  const chat = await pact.create('chat', { existOk: true })
  const messages: ChatCompletionMessageParam[] = await chat.thread({ as: 'openai', at: 2 })
  const whole: Record<string, unknown> = await chat.thread({ as: 'openai', whole: true })
  const [first] = await chat.thread()
  const text: string = await chat.thread({ as: 'markdown' })
  const { input } = await chat.thread({ as: 'responses' })
  // @ts-expect-error there is no such form
  await chat.thread({ as: 'openia' })
  if (isPactError(await connect('http://127.0.0.1:9').close())) return 0
  return messages.length + text.length + input.length + (first?.id.length ?? 0) + Object.keys(whole).length
}
`)
  const { status, stdout } = spawnSync('npx', ['--no-install', 'tsc', '-p', consumer], { encoding: 'utf8' })
  assert.deepEqual([status, stdout], [0, ''])
})
