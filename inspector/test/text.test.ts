import { bytesOf, line, pieces, plainLines, runs, safe, unitAt } from '../src/text'
import { holds, Random, same, test } from './harness'

const hostile = [
  'a',
  ' ',
  '\n',
  '\t',
  '\r',
  '\0',
  '\x1b',
  '\x7f',
  '\x85',
  '\u202e',
  '\u2066',
  '\u200b',
  '\ufeff',
  '\u2028',
  'é',
  '漢',
  '👩',
  '\u200d',
  '💻',
  '\ufe0f',
  '\ud800',
  '\udc00',
  '\u{e0041}',
  '<b>',
  '⟨',
  'ا',
]

test('what a page would obey or not show is written out', () => {
  same(safe('a\u202eb'), 'a⟨U+202E⟩b')
  same(safe('\x1b[31m\x07'), '⟨ESC⟩[31m⟨BEL⟩')
  same(safe('x\u200by\ufeff'), 'x⟨U+200B⟩y⟨U+FEFF⟩')
  same(safe('\u{e0041}'), '⟨U+E0041⟩')
  same(safe('\ud800!'), '⟨U+D800⟩!')
  same(safe('one\r\ntwo\t3'), 'one⟨CR⟩\ntwo\t3')
  same(safe('a\u200db'), 'a⟨U+200D⟩b')
})

test('an emoji of several characters stays whole', () => {
  same(runs('👩\u200d💻 ❤\ufe0f'), [{ text: '👩\u200d💻 ❤\ufe0f', picture: false }])
})

test('runs show every character, and no run obeys any', () => {
  const random = new Random(1)
  for (let i = 0; i < 2000; i++) {
    const text = random.text(20, hostile)
    const list = runs(text)
    same(list.map((run) => run.text).join(''), safe(text))
    for (const run of list)
      holds(
        !/[\0-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ufeff]/.test(run.text),
        `${JSON.stringify(run.text)} has a control`,
      )
    const back = list.map((run) => (run.picture ? named(run.text) : run.text)).join('')
    same(back, text)
  }
})

// named returns the character that a picture names.
function named(picture: string): string {
  const name = picture.slice(1, -1)
  if (name.startsWith('U+')) return String.fromCodePoint(parseInt(name.slice(2), 16))
  const names = ['NUL', 'CR', 'ESC', 'DEL']
  const codes = [0, 13, 27, 127]
  return String.fromCharCode(codes[names.indexOf(name)] ?? NaN)
}

test('pieces joined are the text, and none is too long or begins inside a character', () => {
  const random = new Random(2)
  for (let i = 0; i < 500; i++) {
    const text = random.text(300, ['a', 'b ', '\n', '👩', 'é'])
    const [units, lines] = [2 + random.below(40), 1 + random.below(5)]
    const starts = pieces(text, units, lines)
    starts.forEach((from, n) => {
      const piece = text.slice(from, starts[n + 1] ?? text.length)
      holds(piece.length <= units, `a piece has ${piece.length} units of ${units}`)
      holds((piece.slice(0, -1).match(/\n/g) ?? []).length < lines, 'a piece has too many lines')
      holds(!/^[\udc00-\udfff]/.test(piece), 'a piece begins inside a character')
      holds(n === 0 || piece !== '', 'a piece is empty')
    })
  }
})

test('one line of 16 MiB is cut into pieces once', () => {
  const starts = pieces('x'.repeat(1 << 24))
  holds(starts.length === Math.ceil((1 << 24) / 2000), `${starts.length} pieces`)
})

test('bytes and units agree with the encoder of the platform', () => {
  const random = new Random(3)
  const encoder = new TextEncoder()
  for (let i = 0; i < 1000; i++) {
    const text = random.text(12, hostile)
    const bytes = encoder.encode(text)
    same(bytesOf(text), bytes.length, JSON.stringify(text))
    let at = 0
    let unit = 0
    for (const c of text) {
      for (let b = 0; b < encoder.encode(c).length; b++) same(unitAt(text, at++), unit, JSON.stringify(text))
      unit += c.length
    }
    same(unitAt(text, at), text.length)
  }
})

test('line ends of CR LF are told of once, and every other CR stays', () => {
  same(plainLines('a\r\nb\r\n'), { text: 'a\nb\n', ends: 'Each line ends with ⟨CR⟩⟨LF⟩.' })
  same(plainLines('a\nb\r\r\n'), { text: 'a\nb\r\n', ends: '1 of 2 lines end with ⟨CR⟩⟨LF⟩.' })
  same(plainLines('a\rb\n\r'), { text: 'a\rb\n\r', ends: '' })
})

test('a line is one line and not longer than asked', () => {
  same(line('one\n  two', 20), 'one two')
  same(line('abcdef', 3), 'abc…')
})
