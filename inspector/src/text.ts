// Text that somebody else wrote, made safe to look at. What comes out is only ever put into text
// nodes: a page never obeys content, and never hides a part of it.

/** A run of text as it is, or the picture of one character that a page would obey or not show. */
export interface Run {
  text: string
  picture: boolean
}

// Controls, formats (bidirectional overrides, zero widths, tags), lone surrogates, line and
// paragraph separators, and everything else that Unicode lets a program ignore when it draws.
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]/gu

const pictograph = /\p{ExtPict}/u

const joiner = 0x200d

/** Returns text as runs. All runs together show every character of it. */
export function runs(text: string): Run[] {
  const list: Run[] = []
  let from = 0
  for (const found of text.matchAll(unseen)) {
    const at = found.index
    if (drawn(text, at, found[0])) continue
    if (at > from) list.push({ text: text.slice(from, at), picture: false })
    list.push({ text: pictureOf(found[0].codePointAt(0) as number), picture: true })
    from = at + found[0].length
  }
  if (from < text.length) list.push({ text: text.slice(from), picture: false })
  return list
}

/** Returns text as one string, with pictures in place of what a page would obey or not show. */
export function safe(text: string): string {
  return text.replace(unseen, (c, at: number) => (drawn(text, at, c) ? c : pictureOf(c.codePointAt(0) as number)))
}

/** Returns the beginning of text on one line. */
export function line(text: string, most: number): string {
  const flat = safe(text.slice(0, most * 4).replace(/\s+/g, ' '))
  return flat.length <= most ? flat : clip(flat, most) + '…'
}

/** Returns text without the CR in each CR LF, and says how many line ends had one: one sentence about
 * all of them says more than a picture in every line. "" if none had. */
export function plainLines(text: string): { text: string; ends: string } {
  const plain = text.replaceAll('\r\n', '\n')
  const n = text.length - plain.length
  if (n === 0) return { text, ends: '' }
  let all = 0
  for (let at = plain.indexOf('\n'); at >= 0; at = plain.indexOf('\n', at + 1)) all++
  return { text: plain, ends: n === all ? 'Each line ends with ⟨CR⟩⟨LF⟩.' : `${n} of ${all} lines end with ⟨CR⟩⟨LF⟩.` }
}

// drawn reports whether the page shows a character that is unseen by itself: line ends and tabs,
// and the joiners and selectors inside an emoji.
function drawn(text: string, at: number, c: string): boolean {
  if (c === '\n' || c === '\t' || c === '\ufe0e' || c === '\ufe0f') return true
  if (c.charCodeAt(0) !== joiner || at === 0) return false
  const after = text.codePointAt(at + 1)
  if (after === undefined || !pictograph.test(String.fromCodePoint(after))) return false
  const before = text.slice(Math.max(0, at - 3), at)
  return /(?:\p{ExtPict}|\p{Emoji_Modifier})\ufe0f?$/u.test(before)
}

// The names of the control characters below the space. Their pictures in Unicode are in few fonts.
const controls = (
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI ' +
  'DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'
).split(' ')

/** Returns a picture of a character, which any font can draw: its name in ASCII, or its number. */
export function pictureOf(code: number): string {
  const name = code === 0x7f ? 'DEL' : (controls[code] ?? 'U+' + code.toString(16).toUpperCase().padStart(4, '0'))
  return '⟨' + name + '⟩'
}

// clip returns the first units of text, without half of a character.
function clip(text: string, units: number): string {
  const last = text.charCodeAt(units - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? units - 1 : units)
}

/**
 * Cuts text into pieces that a virtual list shows one by one: at most `units` UTF-16 units and
 * `lines` lines each, at the end of a line where there is one in the second half, and never inside
 * a character. Returns where each piece begins; the cost is one pass over the text.
 */
export function pieces(text: string, units = 2000, lines = 40): number[] {
  const starts = [0]
  let from = 0
  let newline = -1 // the next one at or behind from, so that a text without any is searched once
  while (from < text.length) {
    const limit = Math.min(text.length, from + units)
    let lastLine = -1
    let n = 0
    for (; n < lines; n++) {
      if (newline < from || newline < lastLine) newline = nextLine(text, Math.max(from, lastLine))
      if (newline >= limit) break
      lastLine = newline + 1
    }
    if (n === lines) from = lastLine
    else if (limit < text.length && lastLine > from + units / 2) from = lastLine
    else from = limit === text.length ? limit : boundary(text, limit, from)
    if (from < text.length) starts.push(from)
  }
  return starts
}

function nextLine(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at < 0 ? Infinity : at
}

// boundary moves the end of a piece out of the middle of a character.
function boundary(text: string, limit: number, from: number): number {
  const before = text.charCodeAt(limit - 1)
  return before >= 0xd800 && before < 0xdc00 && limit - 1 > from ? limit - 1 : limit
}

/** Returns how many bytes of UTF-8 a text has; a lone surrogate counts as the three bytes of U+FFFD. */
export function bytesOf(text: string): number {
  let n = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c < 0x80) n++
    else if (c < 0x800) n += 2
    else if (c >= 0xd800 && c < 0xdc00 && isLow(text.charCodeAt(i + 1))) {
      n += 4
      i++
    } else n += 3
  }
  return n
}

/** Returns the UTF-16 index of the character that holds a byte of the UTF-8 of text; its length behind the end. */
export function unitAt(text: string, byte: number): number {
  let n = 0
  let i = 0
  for (const c of text) {
    n += bytesOf(c)
    if (n > byte) return i
    i += c.length
  }
  return text.length
}

function isLow(c: number): boolean {
  return c >= 0xdc00 && c < 0xe000
}
