#!/usr/bin/env node
// Runs the program of this platform as it would run without Node before it.
import { spawnSync } from 'node:child_process'
import { binary } from '../dist/binary.js'

const program = binary()
if (!program) {
  console.error(`pactctx brings no program for ${process.platform}-${process.arch}, or its optional dependencies ` +
    'were left out: install them, or name the program in PACT_BINARY')
  process.exit(1)
}
const { error, status, signal } = spawnSync(program, process.argv.slice(2), { stdio: 'inherit' })
if (error) throw error
if (signal) process.kill(process.pid, signal)
process.exit(status ?? 1)
