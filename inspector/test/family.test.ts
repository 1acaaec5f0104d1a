import type { ContextRow } from '../src/api'
import { same, test } from './harness'
import { familyOf } from '../src/screens/family'

function row(name: string, from: Partial<ContextRow> = {}): ContextRow {
  return { name, edition: 'canonical', first_cycle: 1, last_cycle: 1, cycles: 1, revision: 1, ...from }
}

const fork = (name: string, of: string, cycle: number) => row(name, { forked_from: { name: of, cycle } })
const drawn = (rows: ContextRow[]) =>
  familyOf(rows).map((m) => m.rails.map((on) => (on ? '+' : '-')).join('') + m.row.name + (m.bond ? ':' + m.bond : ''))

test('forks and agents follow the context that they come from, in the order of its calls', () => {
  same(drawn([
    row('z'), fork('late', 'run', 9), fork('early', 'run', 2), row('run'),
    row('helper', { begun_by: { context: 'early', node: 'x', cycle: 3 } }),
  ]), ['z', 'run', '+early:fork', '+-helper:agent', '-late:fork'])
})

test('a context whose origin is not in the list stands alone', () => {
  same(drawn([fork('a', 'gone', 1)]), ['a'])
})

test('contexts that claim to come from each other are listed all the same', () => {
  same(drawn([fork('a', 'b', 1), fork('b', 'a', 1), fork('c', 'c', 1)]).length, 3)
})
