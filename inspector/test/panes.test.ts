import { align, fold, type Pair } from '../src/panes/align'
import { causeText } from '../src/panes/cause'
import { visibleRows } from '../src/panes/folding'
import { Heights } from '../src/panes/heights'
import { contentOutline, type Line, outline } from '../src/panes/json'
import { parting, rawRows, rowAt, spans } from '../src/panes/raw'
import { type Hunk, side } from '../src/panes/words'
import { holds, Random, same, test } from './harness'

test('heights agree with a list of numbers', () => {
  const random = new Random(4)
  for (let i = 0; i < 200; i++) {
    const model = Array.from({ length: 1 + random.below(60) }, () => 1 + random.below(50))
    const heights = new Heights(model.length, (row) => model[row] as number)
    for (let step = 0; step < 20; step++) {
      const row = random.below(model.length)
      const height = 1 + random.below(50)
      same(heights.set(row, height), height - (model[row] as number))
      model[row] = height
      const until = random.below(model.length + 1)
      same(heights.before(until), sum(model.slice(0, until)))
      const at = random.below(sum(model) + 40)
      const first = model.findIndex((_, n) => at < sum(model.slice(0, n + 1)))
      same(heights.at(at), first < 0 ? model.length - 1 : first)
    }
  }
})

function sum(list: readonly number[]): number {
  return list.reduce((a, b) => a + b, 0)
}

test('both sides keep their order, and as many blocks as possible stay beside themselves', () => {
  const random = new Random(5)
  for (let i = 0; i < 400; i++) {
    const all = Array.from({ length: 12 }, (_, n) => 'n' + n)
    const left = random.shuffled(all).slice(0, random.below(12))
    const right = random.shuffled(random.below(2) === 0 ? all : left).slice(0, random.below(12))
    const changed = new Set(all.filter(() => random.below(4) === 0))
    const rows = align(left, right, changed, new Map(), new Map())
    same(
      rows.flatMap((r) => (r.left === undefined ? [] : [left[r.left]])),
      left,
    )
    same(
      rows.flatMap((r) => (r.right === undefined ? [] : [right[r.right]])),
      right,
    )
    const beside = rows.filter((r) => r.left !== undefined && r.right !== undefined)
    same(beside.length, common(left, right), `${left} and ${right}`)
    for (const row of rows) same(row.kind, kindOf(row, left, right, changed))
  }
})

// common returns the length of the longest common subsequence, by its definition.
function common(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  const at = (i: number, j: number): number => table[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const row = table[i] as number[]
      row[j] = a[i - 1] === b[j - 1] ? at(i - 1, j - 1) + 1 : Math.max(at(i - 1, j), at(i, j - 1))
    }
  }
  return at(a.length, b.length)
}

function kindOf(row: Pair, left: string[], right: string[], changed: ReadonlySet<string>): Pair['kind'] {
  const id = (row.left === undefined ? right[row.right as number] : left[row.left]) as string
  if (row.left !== undefined && row.right !== undefined) return changed.has(id) ? 'changed' : 'same'
  if (left.includes(id) && right.includes(id)) return 'moved'
  return row.left === undefined ? 'added' : 'removed'
}

test('a block that came in the place of another stands beside it, as changed', () => {
  same(align(['a', 'b', 'c'], ['a', 'x', 'c'], new Set(), new Map([['x', 'b']]), new Map()), [
    { kind: 'same', left: 0, right: 0 },
    { kind: 'changed', left: 1, right: 1 },
    { kind: 'same', left: 2, right: 2 },
  ])
})

test('a block that has the content of another under a new id is moved, beside it or to its new place', () => {
  same(align(['a', 'b', 'c'], ['a', 'x', 'c'], new Set(), new Map(), new Map([['x', 'b']])), [
    { kind: 'same', left: 0, right: 0 },
    { kind: 'moved', left: 1, right: 1 },
    { kind: 'same', left: 2, right: 2 },
  ])
  same(align(['b', 'c', 'a'], ['x', 'b', 'c'], new Set(), new Map(), new Map([['x', 'a']])), [
    { kind: 'moved', right: 0 },
    { kind: 'same', left: 0, right: 1 },
    { kind: 'same', left: 1, right: 2 },
    { kind: 'moved', left: 2 },
  ])
})

test('only what is the same is folded, and open folds give all rows back', () => {
  const random = new Random(6)
  for (let i = 0; i < 300; i++) {
    const rows: Pair[] = Array.from({ length: random.below(40) }, (_, n) => ({
      kind: random.below(6) === 0 ? ('added' as const) : ('same' as const),
      left: n,
      right: n,
    }))
    const folded = fold(rows, 2, new Set())
    const back = folded.flatMap((row) => (row.kind === 'fold' ? rows.slice(row.from, row.to) : [row]))
    same(back, rows)
    for (const row of folded) {
      if (row.kind !== 'fold') continue
      holds(
        rows.slice(row.from, row.to).every((r) => r.kind === 'same'),
        'a change is folded',
      )
      holds(row.to - row.from > 1, 'a fold hides one row')
    }
    const open = new Set(folded.flatMap((row) => (row.kind === 'fold' ? [row.from] : [])))
    same(fold(rows, 2, open), rows)
  }
})

test('the sides of a content diff are the two contents', () => {
  const random = new Random(7)
  for (let i = 0; i < 300; i++) {
    const hunks: Hunk[] = Array.from({ length: random.below(8) }, () => ({
      op: random.pick(['keep', 'del', 'ins'] as const),
      text: random.text(60, ['word ', 'é', '👩']),
    }))
    for (const only of ['del', 'ins'] as const) {
      const content = hunks
        .filter((h) => h.op === 'keep' || h.op === only)
        .map((h) => h.text)
        .join('')
      // A single run of kept words stands beside no difference, so that all of it is left out.
      if (hunks.length > 1)
        same(
          side(hunks, only, Infinity)
            .map((p) => p.text)
            .join(''),
          content,
        )
      const short = side(hunks, only, 5)
      const length = sum(short.map((p) => (p.kind === 'gap' ? Number(p.text) : p.text.length)))
      same(length, content.length, 'with gaps it')
    }
  }
})

test('rows of bytes joined are the bytes, and begin at characters', () => {
  const random = new Random(8)
  for (let i = 0; i < 300; i++) {
    const json = JSON.stringify(
      Array.from({ length: random.below(6) }, () => ({
        role: random.text(30, ['a', '"', '\\', '漢', ',', '{']),
        list: [1, { b: random.text(90, ['x', '👩']) }],
      })),
    )
    const bytes = new TextEncoder().encode(json)
    const most = 8 + random.below(60)
    const starts = rawRows(bytes, most, 2)
    same(starts[0], 0)
    starts.forEach((from, n) => {
      const to = starts[n + 1] ?? bytes.length
      holds(to > from, 'a row is empty')
      holds(to - from <= most + 4, `a row has ${to - from} bytes of ${most}`)
      holds(((bytes[from] ?? 0) & 0xc0) !== 0x80, 'a row begins inside a character')
    })
    for (let n = 0; n < 10; n++) {
      const byte = random.below(bytes.length)
      const row = rowAt(starts, byte)
      holds((starts[row] as number) <= byte && byte < (starts[row + 1] ?? bytes.length), 'rowAt gives another row')
    }
  }
})

test('a row begins at each member of the request and at each message', () => {
  const bytes = new TextEncoder().encode('{"m":1,"l":[{"a":1,"b":[2,3]},{"a":",{"}]}')
  const starts = [...rawRows(bytes, 100, 2)]
  same(
    starts.map((from, n) => new TextDecoder().decode(bytes.slice(from, starts[n + 1]))),
    ['{"m":1,', '"l":[{"a":1,"b":[2,3]},', '{"a":",{"}]}'],
  )
})

test('two sequences part at the first byte that differs', () => {
  same(parting(Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2, 4, 5)), 2)
  same(parting(Uint8Array.of(1, 2), Uint8Array.of(1, 2, 4)), 2)
  same(parting(Uint8Array.of(), Uint8Array.of(1)), 0)
})

test('a row is cut at the cut and at the ends of the selection', () => {
  const random = new Random(9)
  for (let i = 0; i < 500; i++) {
    const [from, to] = [10, 30]
    const cut = random.below(45)
    const start = random.below(40)
    const end = start + random.below(15)
    const list = spans(from, to, cut, [start, end])
    let at = from
    for (const part of list) {
      same(part.from, at)
      for (let byte = part.from; byte < part.to; byte++) {
        same([part.selected, part.behind], [byte >= start && byte < end, byte >= cut], `byte ${byte}`)
      }
      at = part.to
    }
    same(at, to)
  }
})

test('an outline has the members and elements of the value in their order', () => {
  const random = new Random(10)
  for (let i = 0; i < 400; i++) {
    const value = randomValue(random, 3)
    const space = random.pick(['', '  '])
    same(outline(JSON.stringify(value, null, space)), linesOf('', value, 0))
  }
})

test('the members of the only object of a list stand outermost', () => {
  const shown = (json: string) => (contentOutline(json) ?? []).map((line) => `${line.depth} ${line.key} ${line.text}`)
  same(shown('[{"text":"a","more":{"b":1}}]'), ['0 text a', '0 more ', '1 b 1'])
  same(shown('[{"text":"a"},{"text":"b"}]'), ['0  ', '1 1 ', '2 text a', '1 2 ', '2 text b'])
  same(shown('{"1":{"a":2}}'), ['0  ', '1 1 ', '2 a 2'])
  same(shown('[5]'), ['0  ', '1 1 5'])
  same(shown('[{}]'), ['0  ', '1 1 {}'])
})

function randomValue(random: Random, depth: number): unknown {
  const kind = random.below(depth === 0 ? 4 : 6)
  if (kind === 0) return random.below(1000) / 8
  if (kind === 1) return random.pick([null, true, false])
  if (kind < 4) return random.text(6, ['a', '"', '\\', '\n', '漢', '\u2028'])
  const list = Array.from({ length: random.below(4) }, () => randomValue(random, depth - 1))
  return kind === 4 ? list : Object.fromEntries(list.map((v, n) => ['k' + n + '"', v]))
}

function linesOf(key: string, value: unknown, depth: number): Line[] {
  if (typeof value === 'string') return [{ depth, key, kind: 'text', text: value }]
  if (typeof value !== 'object' || value === null) return [{ depth, key, kind: 'value', text: String(value) }]
  const isList = Array.isArray(value)
  const members = isList ? value.map((v, n) => [String(n + 1), v] as const) : Object.entries(value)
  const empty = isList ? '[]' : '{}'
  return [
    { depth, key, kind: 'below', text: members.length === 0 ? empty : '' },
    ...members.flatMap(([k, v]) => linesOf(k, v, depth + 1)),
  ]
}

test('an outline keeps numbers as they are written, and repeated members', () => {
  same(outline('{"n":12345678901234567890.10,"n":1e400}'), [
    { depth: 0, key: '', kind: 'below', text: '' },
    { depth: 1, key: 'n', kind: 'value', text: '12345678901234567890.10' },
    { depth: 1, key: 'n', kind: 'value', text: '1e400' },
  ])
})

test('a text that holds an object shows its members', () => {
  same(outline('{"arguments":"{\\"path\\":\\"a\\"}"}'), [
    { depth: 0, key: '', kind: 'below', text: '' },
    { depth: 1, key: 'arguments', kind: 'below', text: '' },
    { depth: 2, key: 'path', kind: 'text', text: 'a' },
  ])
})

test('what is no JSON has no outline', () => {
  for (const text of ['', '{', '{"a"}', '{"a":}', '["a" "b"]', '{a:1}', '"x', '{"a":1']) same(outline(text), null, text)
})

test('closed rows hide what is below them', () => {
  const random = new Random(11)
  for (let i = 0; i < 300; i++) {
    let depth = 0
    const rows = Array.from({ length: random.below(30) }, (_, n) => {
      depth = n === 0 ? 0 : 1 + random.below(depth + 1)
      return { id: 'n' + n, depth }
    })
    const closed = new Set(rows.filter(() => random.below(4) === 0).map((r) => r.id))
    const want = rows.map((_, n) => n).filter((n) => !ancestors(rows, n).some((a) => closed.has(a)))
    same(visibleRows(rows, closed), want)
  }
})

function ancestors(rows: readonly { id: string; depth: number }[], n: number): string[] {
  const list: string[] = []
  let depth = rows[n]?.depth ?? 0
  for (let i = n - 1; i >= 0; i--) {
    const row = rows[i]
    if (row && row.depth < depth) {
      list.push(row.id)
      depth = row.depth
    }
  }
  return list
}

test('a comparison backwards says that what is missing came later, and what is more went later', () => {
  const cause = (kind: string) => ({ kind, cycle: 9, actor: 'agent', rule: 'named' }) as Parameters<typeof causeText>[0]
  same(causeText(cause('pruning'), 'removed', false), 'pruned by name by agent in @c9')
  same(causeText(cause('pruning'), 'added', true), 'still there, pruned by name by agent in @c9')
  same(causeText({ ...cause('edit'), rule: undefined }, 'removed', true), 'not there yet, added by agent in @c9')
  same(causeText(cause('context'), 'removed', true), '')
})
