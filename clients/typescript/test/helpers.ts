import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { open, type Context, type Pact } from 'pactctx'

/** A folder that is there until the tests of the file end. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'pactctx-'))
  after(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** A client of an empty store, for all tests of a file. */
export async function store(): Promise<Pact> {
  const pact = await open(join(folder(), 'test.db'))
  after(() => pact.close())
  return pact
}

/** Runs a program in the language of the client, as a job of its own if asked. */
export function program(code: string, detached = false) {
  const entry = import.meta.resolve('pactctx')
  return spawn(process.execPath, ['--input-type=module', '-e', `import { connect, open } from '${entry}'\n${code}`],
    { stdio: ['ignore', 'pipe', 'inherit'], detached })
}

/** Waits until something holds. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('it did not come about within ten seconds')
}

/** The contents of what a model is sent. */
export async function contents(c: Context, at = '@t0'): Promise<unknown[]> {
  return (await c.thread({ at })).map((b) => b.content)
}
