import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { candidates } from './binary.js'
import { Pact } from './client.js'
import { PactError } from './failure.js'
import type { Failure } from './schema.js'

export interface OpenOptions {
  signal?: AbortSignal
  /** The program to run, in place of the one that the package brings. */
  binary?: string
}

/** The one line that the program prints. */
interface Started {
  address: string
  token: string
  error?: { code: string; message: string; details?: Partial<Failure> }
}

/** Opens a file of contexts, or a PostgreSQL by its address, and makes the file if there is none. It starts
 * `pact serve` for this program alone, on a free port of loopback with a token of its own. The server ends with
 * `close`, and with this program, however that ends. */
export async function open(db: string, options: OpenOptions = {}): Promise<Pact> {
  options.signal?.throwIfAborted()
  const { child, end } = await start(options.binary ? [options.binary] : candidates(), db)
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => { said = (said + text).slice(-4096) })
  let ended: string | undefined
  child.once('exit', (code, signal) => { ended = `the server of ${db} ended (${signal ?? `exit code ${code}`})` })
  const stop = () => void child.kill('SIGKILL')
  options.signal?.addEventListener('abort', stop, { once: true })
  try {
    const lines = createInterface({ input: child.stdout! })
    const [line] = await Promise.race([once(lines, 'line'), once(child, 'close').then(() => [''])]) as [string]
    options.signal?.throwIfAborted()
    if (!line) throw new PactError({ code: 'E_PROGRAM', detail: `${ended}: ${said.trim() || 'it said nothing'}` })
    lines.close()
    const { address, token, error } = JSON.parse(line) as Started
    if (error) throw new PactError({ ...error.details, code: error.code, detail: error.message })
    child.stdout!.resume()
    for (const held of [child, child.stdin, child.stdout, child.stderr]) unref(held)
    return new Pact(address, token, end, () => ended)
  } catch (problem) {
    stop()
    throw problem
  } finally {
    options.signal?.removeEventListener('abort', stop)
  }
}

/** Starts the first program that is there. */
async function start(programs: string[], db: string): Promise<{ child: ChildProcess; end: () => Promise<void> }> {
  for (const program of programs) {
    // --until-eof: a system closes the pipe of a program that is gone, and then the server ends
    const child = spawn(program, ['serve', '--addr', '127.0.0.1:0', '--until-eof', '--json', '--db', db],
      { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true })
    child.stdin.on('error', () => {}) // the server went first
    const gone = new Promise<void>((resolve) => child.once('close', () => resolve()))
    const problem = await once(child, 'spawn').then(() => undefined, (cause: NodeJS.ErrnoException) => cause)
    if (!problem) return { child, end: () => (child.ref(), child.stdin.end(), gone) }
    if (problem.code !== 'ENOENT') throw problem
  }
  throw new PactError({ code: 'E_PROGRAM', detail: `there is no program ${programs.join(' or ')}`,
    remedy: 'install pactctx with its optional dependencies, or name the program in PACT_BINARY' })
}

/** Lets the program end while the server runs. */
function unref(held: unknown): void {
  (held as { unref?: () => void } | null)?.unref?.()
}
