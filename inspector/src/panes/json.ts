// JSON as an outline that people read. It does not go through JSON.parse, which would round numbers
// and forget the order and repetition of members.

/** A line of the outline: a member or an element, with its value if that is no object or list. */
export interface Line {
  depth: number
  key: string
  /** How the value is shown: a text without its quotes, another value as written, or lines below. */
  kind: 'text' | 'value' | 'below'
  text: string
}

/** Returns the outline of a JSON text, or null if it is none. The cost is one pass. */
export function outline(json: string): Line[] | null {
  const reader = new Reader(json)
  try {
    reader.value('', 0)
    return reader.lines
  } catch {
    return null
  }
}

/** Returns the outline of a content. Most are lists of one object, whose members then stand outermost. */
export function contentOutline(json: string): Line[] | null {
  const lines = outline(json)
  const [, object] = lines ?? []
  if (lines === null || json[0] !== '[' || object?.kind !== 'below' || object.text !== '') return lines
  if (lines.some((line, i) => i > 1 && line.depth === 1)) return lines
  return lines.slice(2).map((line) => ({ ...line, depth: line.depth - 2 }))
}

const deepest = 8 // levels of JSON inside a text

class Reader {
  readonly lines: Line[] = []
  private at = 0
  private readonly json: string

  constructor(json: string) {
    this.json = json
  }

  value(key: string, depth: number): void {
    const c = this.next()
    if (c === '{') this.members(key, depth)
    else if (c === '[') this.elements(key, depth)
    else if (c === '"') this.inner(key, depth, this.text())
    else this.lines.push({ depth, key, kind: 'value', text: this.word() })
  }

  // A text that holds an object or a list in JSON, as the arguments of many calls do, shows its members.
  private inner(key: string, depth: number, text: string): void {
    const lines = /^\s*[[{]/.test(text) && depth < deepest ? outline(text) : null
    if (lines === null) this.lines.push({ depth, key, kind: 'text', text })
    else
      for (const line of lines)
        this.lines.push({ ...line, depth: line.depth + depth, key: line.depth === 0 ? key : line.key })
  }

  private members(key: string, depth: number): void {
    const line: Line = { depth, key, kind: 'below', text: '{}' }
    this.lines.push(line)
    let n = 0
    for (this.at++; this.next() !== '}'; n++) {
      if (n > 0) this.take(',')
      this.next()
      const name = this.text()
      this.take(':')
      this.value(name, depth + 1)
    }
    this.at++
    if (n > 0) line.text = ''
  }

  private elements(key: string, depth: number): void {
    const line: Line = { depth, key, kind: 'below', text: '[]' }
    this.lines.push(line)
    let n = 0
    for (this.at++; this.next() !== ']'; n++) {
      if (n > 0) this.take(',')
      this.value(String(n + 1), depth + 1)
    }
    this.at++
    if (n > 0) line.text = ''
  }

  private text(): string {
    const from = this.at
    if (this.json[from] !== '"') throw new Error('no text')
    let end = from + 1
    while (end < this.json.length && this.json[end] !== '"') end += this.json[end] === '\\' ? 2 : 1
    this.at = end + 1
    return JSON.parse(this.json.slice(from, this.at)) as string
  }

  private word(): string {
    const found = /[-+.\w]+/y
    found.lastIndex = this.at
    const word = found.exec(this.json)
    if (!word) throw new Error('no value')
    this.at += word[0].length
    return word[0]
  }

  private next(): string {
    while (' \t\r\n'.includes(this.json[this.at] ?? 'x')) this.at++
    return this.json[this.at] ?? ''
  }

  private take(c: string): void {
    if (this.next() !== c) throw new Error('no ' + c)
    this.at++
  }
}
