import { ago, bytes, count, percent, short } from '../src/format'
import { same, test } from './harness'

const plain = (text: string) => text.replace(/\u2009/g, ' ')

test('numbers are written with spaces between groups of three digits', () => {
  for (const [n, want] of [[0, '0'], [999, '999'], [1000, '1 000'], [1234567, '1 234 567'], [-1000, '−1 000']] as const) {
    same(plain(count(n)), want)
  }
})

test('sizes have at most four characters and a unit', () => {
  for (const [n, want] of [[0, '0 B'], [999, '999 B'], [1000, '1 kB'], [18_249, '18.2 kB'], [99_949, '99.9 kB'],
    [99_950, '100 kB'], [999_499, '999 kB'], [999_500, '1 MB'], [3_400_000, '3.4 MB']] as const) {
    same(plain(bytes(n)), want)
  }
  same(plain(short(20_000)), '20 k')
})

test('only all is 100 % and only nothing is 0 %', () => {
  for (const [part, whole, want] of [[0, 10, '0 %'], [1, 1000, '1 %'], [999, 1000, '99 %'], [10, 10, '100 %'], [31, 100, '31 %'],
    [0, 0, '100 %']] as const) {
    same(plain(percent(part, whole)), want)
  }
})

test('times say how long ago they were', () => {
  const now = Date.parse('2026-03-02T12:00:00Z')
  for (const [moment, want] of [['2026-03-02T11:59:30Z', 'just now'], ['2026-03-02T11:59:00Z', '1 minute ago'],
    ['2026-03-02T10:00:00Z', '2 hours ago'], ['2026-02-28T12:00:00Z', '2 days ago'], ['2025-03-02T12:00:00Z', '1 year ago'],
    ['2026-03-02T13:00:00Z', 'just now'], ['nonsense', '']] as const) {
    same(ago(moment, now), want)
  }
})
