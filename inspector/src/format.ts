// Numbers and times as people read them, the same on every machine.
import type { Unit } from './api'

const thin = '\u2009'

/** Writes a number with thin spaces between groups of three digits: 18 044. */
export function count(n: number): string {
  const digits = String(Math.round(Math.abs(n)))
  return (n < 0 ? '−' : '') + digits.replace(/\B(?=(\d{3})+$)/g, thin)
}

/** Writes a size: 812 B, 18.2 kB, 3.4 MB. */
export function bytes(n: number): string {
  return n < 1000 ? n + thin + 'B' : short(n) + 'B'
}

/** Writes a number and a noun that agrees with it. */
export function plural(n: number, noun: string, many = noun + 's'): string {
  return count(n) + ' ' + (n === 1 ? noun : many)
}

/** Writes a size in its unit. */
export function size(n: number, unit: Unit): string {
  return unit === 'bytes' ? bytes(n) : plural(n, 'token')
}

/** Writes an amount of money, '' for one that is not known. */
export function money(n: number | undefined, currency = ''): string {
  return n === undefined ? '' : n.toFixed(n && n < 5e-5 ? 8 : 4) + thin + currency
}

/** Writes a number of at most four characters and its power of a thousand: 18.2 k. */
export function short(n: number): string {
  const powers = ['', 'k', 'M', 'G', 'T']
  let power = 0
  while (Math.abs(n) >= 999.5 && power < powers.length - 1) {
    n /= 1000
    power++
  }
  const text = power === 0 || Math.abs(n) >= 99.95 ? n.toFixed(0) : n.toFixed(1).replace(/\.0$/, '')
  return power === 0 ? text : text + thin + powers[power]
}

/** Writes a part of a whole: 31 %. Only all of it is 100 %, only nothing is 0 %. */
export function percent(part: number, whole: number): string {
  if (whole <= 0 || part === whole) return '100' + thin + '%'
  if (part <= 0) return '0' + thin + '%'
  return Math.min(99, Math.max(1, Math.round((part / whole) * 100))) + thin + '%'
}

/** Writes how long ago a moment was. */
export function ago(moment: string, now: number): string {
  const seconds = (now - Date.parse(moment)) / 1000
  if (!Number.isFinite(seconds)) return ''
  const steps: [number, string][] = [[60, 'second'], [60, 'minute'], [24, 'hour'], [365, 'day'], [Infinity, 'year']]
  let n = Math.max(0, seconds)
  for (const [many, name] of steps) {
    if (n < many) return name === 'second' ? 'just now' : Math.floor(n) + ' ' + name + (n >= 2 ? 's' : '') + ' ago'
    n /= many
  }
  return ''
}
