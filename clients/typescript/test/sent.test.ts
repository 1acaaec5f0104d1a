import assert from 'node:assert/strict'
import test from 'node:test'
import type { AgentInputItem } from '@openai/agents'
import { PactSession } from 'pactctx/openai-agents'
import { contents, store } from './helpers.js'

const pact = await store()

/** Numbers that are the same in each run. */
function random(seed: number) {
  return (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return Math.floor(seed / 65536) % below
  }
}

test('whatever a program sends next, the model is sent just that, and what goes on keeps its id', async () => {
  for (const seed of [1, 2, 3]) {
    const next = random(seed)
    const context = await pact.context('any' + seed)
    let session = new PactSession(context)
    let texts: string[] = []
    let before: { id: string; content: unknown }[] = []
    for (let call = 0; call < 25; call++) {
      for (let change = next(3); change >= 0; change--) { // few words, so many are equal
        const at = next(texts.length + 1)
        const kind = next(6)
        if (kind < 3) texts = [...texts, 'w' + next(5)]
        else if (kind === 3) texts = texts.toSpliced(at, 0, 'w' + next(5))
        else if (kind === 4) texts = texts.toSpliced(at, 1)
        else texts = texts.slice(next(2) * at)
      }
      if (next(4) === 0) session = new PactSession(await pact.context('any' + seed)) // another process
      const input = texts.map((content): AgentInputItem => ({ role: 'user', content }))
      const sent = await session.filter({ modelData: { input }, agent: {} as never, context: undefined })
      assert.deepEqual(sent.input, input, `seed ${seed}, call ${call}`)
      await context.refresh()
      assert.deepEqual(await contents(context), texts)
      const now = await context.thread()
      for (let i = 0; i < Math.min(now.length, before.length) && now[i]!.content === before[i]!.content; i++) {
        assert.equal(now[i]!.id, before[i]!.id, `seed ${seed}, call ${call}: what both begin with`)
      }
      before = now
    }
  }
})
