import { createRequire } from 'node:module'

/** Returns the program to run: PACT_BINARY, the one of the package for this platform, else that of the path. */
export function binary(): string {
  if (process.env.PACT_BINARY) return process.env.PACT_BINARY
  try {
    const name = process.platform === 'win32' ? 'pact.exe' : 'pact'
    return createRequire(import.meta.url).resolve(`@pactctx/${process.platform}-${process.arch}/bin/${name}`)
  } catch {
    return ''
  }
}

/** What to try in turn: pactctx before pact, which may be another program. */
export function candidates(): string[] {
  const found = binary()
  return found ? [found] : ['pactctx', 'pact']
}
