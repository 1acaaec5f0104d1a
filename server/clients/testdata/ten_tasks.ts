import { readFile } from 'node:fs/promises'
import { connect, isPactError } from 'pactctx'

const pact = connect(process.env.PACT_URL!, process.env.PACT_TOKEN)

// 1. Bring in a conversation
const log = await readFile('examples/conversations/repair.jsonl')
const [repair] = await pact.import('repair', log)
if (!repair) throw new Error('nothing was imported')
console.log((await repair.refresh()).cycles, 'calls')

// 2. List what is there
for await (const context of pact.contexts({ details: true })) {
  console.log(context.name, context.calls, 'calls,', context.bytes, 'bytes')
}

// 3. See what call 3 sent
const sent = await pact.send('get-thread', { name: 'repair', at: '@c3', as: 'openai' })
console.log(sent.headers.get('ETag'), (await sent.json() as { role: string }[]).map((m) => m.role))

// 4. Find nodes
console.log(await repair.select("@c5 [kind='result'][failed]"))

// 5. Ask why the cache of the provider was missed
for (const call of (await pact.call('list-calls', { name: 'repair' })).items) if (call.cut) console.log(call.sentence)

// 6. Compare two calls
const changed = await repair.diff('@c3', '@c4')
console.log('added', changed.components_added.map((c) => c.id), 'removed', changed.components_removed.map((c) => c.id))

// 7. Add a message and end the cycle
const late = await pact.context('repair') // knows nothing of what comes next
for (let attempt = 0; attempt < 2; attempt++) {
  const committed = await pact.call('commit', { name: 'repair' },
    { cycle: 5, edits: [{ op: 'add', into: '^ah', node: { role: 'user', content: 'And in summer?' } }] },
    { idempotencyKey: 'guide-7' })
  console.log('cycle', committed.cycle, committed.repeated ? 'again' : 'new')
}
await late.add('^ah', { content: 'x' }).catch((problem) => {
  if (!isPactError(problem, 'E_CONFLICT')) throw problem
  console.log(problem.code, problem.meanwhile.length)
})
await repair.refresh()

// 8. Ask what a limit would remove
const plan = await repair.plan({ max_bytes: 1500 })
console.log(plan.before.bytes, 'bytes before,', plan.after.bytes, 'after')

// 9. Try another answer, or go back
console.log((await repair.fork('other', '@c3')).cycle)
console.log(await repair.undo())

// 10. Check that nothing was changed
const lines = (await pact.call('verify', { name: 'repair' })).trim().split('\n')
console.log(JSON.parse(lines.at(-1)!).done, 'snapshots hold')
