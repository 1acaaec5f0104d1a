import { complete, type Names, quote } from '../src/selector/complete'
import { nearest, respelled, wider } from '../src/selector/nearest'
import { addressed, isRange, isSelector, mirrored, tokens } from '../src/selector/tokens'
import { holds, Random, same, test } from './harness'

const names: Names = {
  types: ['block', 'block:plan', 'cont'],
  attributes: ['role', 'data_euro'],
  values: { kind: ['call', 'result'], data_euro: ['3'] },
  keys: ['policy', 'city map'],
  tags: ['draft', 'final'],
  tools: ['bash', 'read_file'],
  roles: ['assistant', 'user', 'tool'],
}

const bits = [
  '.',
  '#',
  '+',
  '^',
  '@',
  ':',
  '[',
  ']',
  '{',
  '}',
  '(',
  ')',
  '=',
  '!=',
  '~',
  ',',
  ' ',
  '?',
  '>',
  '*',
  "'",
  '"',
  '\\',
  'block',
  'sys',
  'kind',
  'call',
  'depth',
  'first',
  't-1',
  'c12',
  '..',
  '-3',
  'd1',
  '漢',
  '\n',
  '\0',
  'limit=3',
]

test('tokens joined are the text, whatever it is', () => {
  const random = new Random(12)
  for (let i = 0; i < 3000; i++) {
    const text = random.text(12, bits)
    const list = tokens(text)
    same(list.map((t) => t.text).join(''), text)
    let at = 0
    for (const token of list) {
      same(token.from, at)
      holds(token.text !== '', 'a token is empty')
      at += token.text.length
    }
    const start = random.below(text.length + 1)
    const wrong: [number, number] = [start, start + 1 + random.below(3)]
    const parts = mirrored(text, wrong)
    same(parts.map((p) => p.text).join(''), text)
    same(
      parts
        .filter((p) => p.wrong)
        .map((p) => p.text)
        .join(''),
      text.slice(...wrong),
      JSON.stringify(text),
    )
  }
})

test('tokens have the kinds that the language gives them', () => {
  const cases: [string, string][] = [
    ['^seq .block[role=user]', 'region space type bracket name operator value bracket'],
    [".block(role='user' ttl<=2)", 'type bracket name operator text space name operator value bracket'],
    ['.block[kind=[call,note]]', 'type bracket name operator bracket value operator value bracket bracket'],
    ['.seg:depth(1-2) :pre', 'type pseudo bracket hop hop bracket space pseudo'],
    ["#'city map' +draft", 'key space tag'],
    ['@t-5..@t0 .block @limit=3', 'address space type space control'],
    ['@* .block:plan', 'address space type'],
    ['(d2, *:block)', 'bracket hop operator space operator pseudo hop bracket'],
  ]
  for (const [text, want] of cases)
    same(
      tokens(text)
        .map((t) => t.kind)
        .join(' '),
      want,
      text,
    )
})

test('the first character decides whether a text is a selector', () => {
  for (const text of ['^sys', '.block', '#x', '[id=a]', '@t0 .seg']) same(isSelector(text), true, text)
  for (const text of ['', 'error', ' .block', 'a.b', 'x@y']) same(isSelector(text), false, text)
})

test('a range is asked for changes, unless a mode makes it a list', () => {
  for (const text of ['@t-5..@t0', '@c1:3 .block', '@history .block', '@t0..@t-* x', '@c1..@c4 .block @mode=reduce']) {
    same(isRange(text), true, text)
  }
  for (const text of ['@t0 .block', '@* .block', '.block', '@history .block @mode=union'])
    same(isRange(text), false, text)
})

test('a selector without an address asks the call that is shown', () => {
  same(addressed('.block', '@c12'), '@c12 .block')
  same(addressed('@t0 .block', '@c12'), '@t0 .block')
  same(addressed('.block', 'working'), '.block')
})

test('words that occur are offered where they can stand', () => {
  const cases: [string, string, string][] = [
    ['.blo', 'block', 'type'],
    ['#po', 'policy', 'key'],
    ["#'ci", "'city map'", 'key'],
    ['+dr', 'draft', 'tag'],
    ['^s', 'sys', 'region'],
    ['.block[ro', 'role', 'who speaks'],
    ['.block[role=as', 'assistant', 'role'],
    ['.block[role=', 'assistant', 'role'],
    ['.block[kind=call][tool=ba', 'bash', 'tool'],
    ['.block[kind=[call,re', 'result', 'kind'],
    ['.block:fi', 'first', 'pseudo-class'],
    ['@t', 't0', 'address'],
    ['.block @li', 'limit=10', 'control'],
    ['.block[', 'role', 'who speaks'],
  ]
  for (const [text, insert, what] of cases) {
    const first = complete(text, text.length, names)[0]
    same([first?.insert, first?.what], [insert, what], text)
  }
})

test('no text and no caret make completion fail, and each offer replaces what was typed', () => {
  const random = new Random(13)
  for (let i = 0; i < 3000; i++) {
    const text = random.text(8, bits)
    const caret = random.below(text.length + 1)
    for (const offer of complete(text, caret, names)) {
      holds(
        offer.from <= offer.to && offer.to <= text.length && offer.from <= caret,
        `${JSON.stringify(text)} at ${caret}`,
      )
    }
  }
})

test('a word that the language would read otherwise is quoted', () => {
  same(['bash', 'city map', "it's", 'a\\b', '12', 'block:plan'].map(quote), [
    'bash',
    "'city map'",
    "'it\\'s'",
    "'a\\\\b'",
    "'12'",
    'block:plan',
  ])
})

test('the nearest word is as near as a search of all edits finds it', () => {
  const random = new Random(14)
  const letters = ['a', 'b', 'c']
  for (let i = 0; i < 500; i++) {
    const word = random.text(6, letters) + 'x'
    const known = Array.from({ length: 4 }, () => random.text(6, letters) + 'x')
    const most = Math.min(2, Math.ceil(word.length / 2) - 1)
    const distances = known.map((k) => steps(word, k)).filter((d) => d > 0 && d <= most)
    same(
      nearest(word, known)?.distance ?? null,
      distances.length === 0 ? null : Math.min(...distances),
      `${word} of ${known}`,
    )
  }
})

// steps counts edits up to two by trying all of them; more are 3.
function steps(from: string, to: string): number {
  let reached = new Set([from])
  for (let n = 0; n <= 2; n++) {
    if (reached.has(to)) return n
    reached = new Set([...reached].flatMap(oneEdit))
  }
  return 3
}

function oneEdit(word: string): string[] {
  const list: string[] = []
  for (let i = 0; i <= word.length; i++) {
    const [head, tail] = [word.slice(0, i), word.slice(i)]
    list.push(head + tail.slice(1))
    if (tail.length > 1) list.push(head + tail[1] + tail[0] + tail.slice(2))
    for (const c of 'abcx') list.push(head + c + tail, head + c + tail.slice(1))
  }
  return list
}

test('a word that does not occur is spelt as one that does', () => {
  same(
    respelled('.block[role=assistnt]', names).map((s) => s.selector),
    ['.block[role=assistant]'],
  )
  same(
    respelled("@t0 #polciy .block[tool='bahs']", names).map((s) => s.selector),
    ["@t0 #policy .block[tool='bahs']", '@t0 #polciy .block[tool=bash]'],
  )
  same(respelled('.block[role=user]', names), [])
})

test('one step wider leaves out one part', () => {
  same(
    wider('^seq .block[kind=call][failed]').map((s) => s.selector),
    [
      '^seq .block[kind=call]',
      '^seq .block[failed]',
      '^seq [kind=call][failed]',
      '.block[kind=call][failed]',
      '@* ^seq .block[kind=call][failed]',
    ],
  )
  for (const s of wider('@t0 .seg:depth(1) > .block +draft')) holds(!/ {2}|> *$/.test(s.selector), s.selector)
})
