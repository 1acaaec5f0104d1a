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
    row('again', { begun_by: { context: 'early', node: 'x', cycle: 3 }, forked_from: { name: 'helper', cycle: 1 } }),
  ]), ['run', '+early:fork', '+-helper:agent', '+--again:fork', '-late:fork', 'z'])
})

test('a context whose origin is not in the list stands alone', () => {
  same(drawn([fork('a', 'gone', 1)]), ['a'])
})

test('contexts that claim to come from each other are listed all the same', () => {
  same(drawn([fork('a', 'b', 1), fork('b', 'a', 1), fork('c', 'c', 1)]).length, 3)
})

test('undone lines follow the context that took their name over', () => {
  same(drawn([row('run~c9'), fork('run~c7', 'run~c9', 5), fork('run', 'run~c7', 6), fork('try', 'run', 2)]),
    ['run', '+try:fork', '-run~c7:undone', '--run~c9:undone'])
})

test('an undone line of a fork leaves the fork below the context that it comes from', () => {
  same(drawn([row('run'), fork('try~c4', 'run', 2), fork('try', 'try~c4', 3)]), ['run', '-try:fork', '--try~c4:undone'])
})

test('the line of a fork of which everything was undone stands below the fork', () => {
  same(drawn([row('run'), fork('try', 'run', 12), fork('try~c13', 'run', 12), fork('other', 'run', 12)]),
    ['run', '+other:fork', '-try:fork', '--try~c13:undone'])
})

test('contexts stand in the order of their numbers', () => {
  same(drawn([row('a/10'), row('a/2'), row('b'), row('a/1')]), ['a/1', 'a/2', 'a/10', 'b'])
})

test('a fork belongs to the undone line only if it began after what the undo kept', () => {
  same(drawn([row('run~c9'), fork('run', 'run~c9', 5), fork('early', 'run~c9', 5), fork('late', 'run~c9', 6)]),
    ['run', '+early:fork', '-run~c9:undone', '--late:fork'])
})

test('numbers in names are in their order, hexadecimal names in that of their digits', () => {
  const names = (rows: ContextRow[]) => familyOf(rows).map((m) => m.row.name)
  same(names(['run-10', 'run-2', 'run~c12', 'run~c9'].map((n) => row(n))), ['run-2', 'run-10', 'run~c9', 'run~c12'])
  same(names(['a9f03b71', 'a10f3b71', '9abcdef0', '12abcdef'].map((n) => row(n))),
    ['12abcdef', '9abcdef0', 'a10f3b71', 'a9f03b71'])
})

test('a family stands where the first of its members does', () => {
  const rows = [row('big', { bytes: 50 }), row('small', { bytes: 1 }), row('helper', {
    bytes: 90, forked_from: { name: 'small', cycle: 1 } }), row('none')]
  same(familyOf(rows, 'bytes').map((m) => m.row.name), ['small', 'helper', 'big', 'none'])
})
