import { PactError } from './failure.js'

/** Members whose values are kept as they are, so that nothing in them may be left out. */
const kept = new Set(['content', 'attrs', 'set'])

/** A value as JSON. What JSON would leave out or change is refused, with its place: NaN, functions, maps, bytes and,
 * in what is kept, undefined. */
export function asJSON(value: unknown): string {
  try {
    check(value, '', false, [])
    return JSON.stringify(value)
  } catch (problem) {
    if (problem instanceof RangeError) throw wrong('', 'nests too deeply')
    throw problem
  }
}

function check(value: unknown, at: string, whole: boolean, around: object[]): void {
  switch (typeof value) {
    case 'undefined': case 'function': case 'symbol': case 'bigint': throw wrong(at, `is of type ${typeof value}`)
    case 'number': if (!Number.isFinite(value)) throw wrong(at, `is ${value}`)
  }
  if (typeof value !== 'object' || value === null) return
  if (around.includes(value)) throw wrong(at, 'contains itself')
  if (ArrayBuffer.isView(value)) throw wrong(at, `is a ${value.constructor.name}`)
  if (value instanceof Date && Number.isNaN(value.getTime())) throw wrong(at, 'is an invalid Date')
  const inner = [...around, value]
  if ('toJSON' in value && typeof value.toJSON === 'function') return check(value.toJSON(), at, whole, inner)
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) check(value[i], `${at}[${i}]`, whole, inner)
    return
  }
  const members = Object.entries(value)
  const plain = [Object.prototype, null].includes(Object.getPrototypeOf(value)) || members.length > 0
  if (!plain) throw wrong(at, `is a ${value.constructor.name}`)
  for (const [name, member] of members) {
    const inWhole = whole || kept.has(name)
    if (member !== undefined || inWhole) check(member, at ? `${at}.${name}` : name, inWhole, inner)
  }
}

function wrong(at: string, what: string): PactError {
  return new PactError({ code: 'E_DOCUMENT_INVALID', detail: `JSON has no such value: ${at || 'the body'} ${what}`,
    remedy: 'send numbers, strings, arrays and objects', ...(at && { token: at }) })
}

/** Refuses a text for a path or a question that no address can hold. */
export function checkWord(text: string, inPath: boolean): string {
  if (/\p{Surrogate}/u.test(text)) {
    throw new PactError({ code: 'E_DOCUMENT_INVALID', remedy: 'leave it out',
      detail: 'a name or a question has half a surrogate pair, which is no character' })
  }
  if (inPath && ['', '.', '..'].includes(text)) { // programs on the way take it for another path
    throw new PactError({ code: 'E_DOCUMENT_INVALID', detail: `no path of an address can hold the name "${text}"`,
      remedy: 'use another name' })
  }
  return text
}
