import { type Address, type At, formatAddress, nowhere, parseAddress, type Vs, views } from '../src/address'
import { Random, same, test } from './harness'

const parse = (text: string) => {
  const [path, query] = text.split('?')
  return parseAddress(path!, query ?? '')
}

test('an address says what the screen shows', () => {
  same(parse('/c/run%2F17?at=c12&vs=c11&view=changes&node=block%3A4-2&q=%40t0%20.cb'), {
    name: 'run/17', at: 12, vs: 11, view: 'changes', node: 'block:4-2', q: '@t0 .cb',
  })
  same(parse('/'), nowhere)
  same(parse('/c/'), nowhere)
})

test('what means nothing is left out', () => {
  same(parse('/c/a?at=12&vs=cx&view=nothing&node=&other=1'), { ...nowhere, name: 'a' })
  same(parse('/c/100%').name, '100%')
})

test('what is written is read again', () => {
  const random = new Random(1)
  const texts = ['a', 'a/b', 'a b', '100%', '?at=c1&x', '#', '日本', '"<&>', '\u202e', '+', '%2F', '[x="y"]']
  const ats: (At | null)[] = [null, 'working', 0, 1, 12, 999999]
  const comparisons: (Vs | null)[] = [...ats, ...texts.map((name) => ({ name, at: 5 })), { name: 'a@c1', at: 'working' }]
  for (let i = 0; i < 2000; i++) {
    const address: Address = {
      name: random.pick(texts), at: random.pick(ats), vs: random.pick(comparisons), view: random.pick(views),
      node: random.pick([null, ...texts]),
      q: random.pick(['', ...texts]),
    }
    same(parse(formatAddress(address)), address, formatAddress(address))
  }
})
