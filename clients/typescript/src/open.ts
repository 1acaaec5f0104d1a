import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { candidates } from './binary.js'
import { checkTimeout, Pact, type ConnectOptions } from './client.js'
import { PactError } from './failure.js'
import type { Failure } from './schema.js'

/** With `timeout` also how long the server may take to start and to end. */
export interface OpenOptions extends ConnectOptions {
  signal?: AbortSignal
  /** The program to run, in place of the one that the package brings. */
  binary?: string
}

/** The one line that the program prints. */
interface Started {
  address?: string
  token?: string
  error?: { code: string; message: string; details?: Partial<Failure> }
}

const install = 'install pactctx with its optional dependencies, or name the program in PACT_BINARY'
const patience = 15_000 // ms for a server to end

/** Opens a file of contexts, or a PostgreSQL by its address, and makes the file if there is none. It starts
 * `pact serve` for this program alone, on a free port of loopback with a token of its own. The server ends with
 * `close`, and with this program, however that ends. */
export async function open(db: string, options: OpenOptions = {}): Promise<Pact> {
  if (typeof db !== 'string' || db === '') { // a program in JavaScript may give what it was not given itself
    throw new PactError({ code: 'E_DOCUMENT_INVALID', detail: 'no store is named',
      remedy: 'give a file, or the address of a PostgreSQL' })
  }
  options.signal?.throwIfAborted()
  const timeout = checkTimeout(options.timeout)
  const child = await start(options.binary ? [options.binary] : candidates(), db)
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    if (!said.includes(dump)) said = (said + text).slice(-65536) // a crash says why before it lists what was running
  })
  const words = () => said.split(dump)[0]!.trim().slice(-500)
  let ended: string | undefined
  const gone = new Promise<void>((resolve) => child.once('close', (code, signal) => {
    ended = `the server of ${db} ended (${signal ?? `exit code ${code}`})${words() && `: ${words()}`}`
    resolve()
  }))
  const stop = () => { // what it has started too: the program may be a script
    if (process.platform === 'win32') return void child.kill('SIGKILL')
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {} // it has ended
  }
  let silent = ''
  const late = setTimeout(() => {
    silent = `: it said nothing within ${timeout} ms`
    stop()
  }, timeout)
  options.signal?.addEventListener('abort', stop, { once: true })
  try {
    const lines = createInterface({ input: child.stdout! })
    const [line] = await Promise.race([once(lines, 'line'), gone.then(() => [''])]) as [string]
    options.signal?.throwIfAborted()
    const { address, token, error } = parsed(line)
    if (error) throw new PactError({ ...error.details, code: error.code, detail: error.message })
    if (!address) {
      stop()
      await gone
      throw new PactError({ code: 'E_PROGRAM', detail: `${ended}, before it served${silent}`, remedy: install })
    }
    lines.close()
    child.stdout!.resume()
    for (const held of [child, child.stdin, child.stdout, child.stderr]) unref(held)
    const end = async () => {
      child.ref()
      child.stdin!.end()
      const kill = setTimeout(stop, Math.min(patience, timeout))
      await gone
      clearTimeout(kill)
    }
    // A connection breaks a moment before the process has ended.
    const why = async () => {
      await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 500))])
      return ended
    }
    return new Pact(address, token, timeout, { end, why })
  } catch (problem) {
    stop()
    throw problem
  } finally {
    clearTimeout(late)
    options.signal?.removeEventListener('abort', stop)
  }
}

const dump = '\n\ngoroutine '

function parsed(line: string): Started {
  try {
    return JSON.parse(line) as Started
  } catch {
    return {}
  }
}

/** Starts the first program that is there. */
async function start(programs: string[], db: string): Promise<ChildProcess> {
  for (const program of programs) {
    // --until-eof: a system closes the pipe of a program that is gone, and then the server ends. It is detached because
    // Ctrl-C is for the program, which may still have to write.
    const child = spawn(program, ['serve', '--addr', '127.0.0.1:0', '--until-eof', '--json', '--db', db],
      { stdio: ['pipe', 'pipe', 'pipe'], detached: true, windowsHide: true })
    child.stdin.on('error', () => {}) // the server went first
    const problem = await once(child, 'spawn').then(() => undefined, (cause: NodeJS.ErrnoException) => cause)
    if (!problem) return child
    if (problem.code !== 'ENOENT') {
      throw new PactError({ code: 'E_PROGRAM', detail: `the program ${program} does not run: ${problem.message}`,
        remedy: install }, { cause: problem })
    }
  }
  throw new PactError({ code: 'E_PROGRAM', detail: `there is no program ${programs.join(' or ')}`, remedy: install })
}

/** Lets the program end while the server runs. */
function unref(held: unknown): void {
  (held as { unref?: () => void } | null)?.unref?.()
}
