import assert from 'node:assert/strict'
import test from 'node:test'
import type { AgentInputItem } from '@openai/agents'
import { PactSession } from 'pactctx/openai-agents'
import { store } from './helpers.js'

const pact = await store()

/** Numbers that are the same in each run. */
function random(seed: number) {
  return (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return Math.floor(seed / 65536) % below
  }
}

/** What a word stands for: a text, a call, or the result of a call. */
function itemOf(word: string): AgentInputItem {
  const callId = 'k' + word[1]
  if (word[0] === 'c') {
    return { type: 'function_call', callId, name: 'look', status: 'completed', arguments: `{"n":${word[2]}}` }
  }
  if (word[0] !== 'r') return { role: 'user', content: word }
  return { type: 'function_call_result', callId, name: 'look', status: 'completed', output: word }
}

test('whatever a program sends next, the model is sent just that, and what goes on keeps its id', async () => {
  for (const seed of [1, 2, 3]) {
    const next = random(seed)
    const context = await pact.create('any' + seed)
    let session = new PactSession(context)
    let words: string[] = []
    let before: { id: string; content: unknown }[] = []
    const word = () => 'wwwcr'[next(5)]! + next(3) + next(2)
    for (let call = 0; call < 25; call++) {
      for (let change = next(3); change >= 0; change--) { // few words, so many are equal
        const at = next(words.length + 1)
        const kind = next(6)
        if (kind < 3) words = [...words, word()]
        else if (kind === 3) words = words.toSpliced(at, 0, word())
        else if (kind === 4) words = words.toSpliced(at, 1)
        else words = words.slice(next(2) * at)
      }
      if (next(4) === 0) session = new PactSession(await pact.context('any' + seed)) // another process
      const input = words.map(itemOf)
      const sent = await session.filter({ modelData: { input }, agent: {} as never, context: undefined })
      assert.deepEqual(sent.input, input, `seed ${seed}, call ${call}`)
      await context.refresh()
      const now = await context.thread()
      assert.equal(now.length, words.length)
      const goesOn = (i: number) => JSON.stringify(now[i]?.content) === JSON.stringify(before[i]?.content)
      for (let i = 0; i < before.length && goesOn(i); i++) {
        assert.equal(now[i]!.id, before[i]!.id, `seed ${seed}, call ${call}: what both begin with`)
      }
      before = now
    }
  }
})
