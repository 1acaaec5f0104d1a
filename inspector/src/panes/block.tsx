import type { JSX } from 'preact'
import { api, type NodeAnswer } from '../api'
import { bytes, count } from '../format'
import { useLoaded } from '../load'
import { useKeys } from '../keys'
import { Problem, Waiting } from '../parts'
import { address, atName, go, select } from '../state'
import { Content, Safe } from './content'
import { Events, useLife, Who } from './life'
import { contentOf } from './node'
import { Copy, Erased, Nothing, plural, Swatch } from './parts'

/** The selected block: content, headers, its life, what it refers to, its bytes, who brought it. */
export function Block(): JSX.Element {
  const [name, id, at] = [address.value.name ?? '', address.value.node, atName.value]
  useKeys('Block', [
    {
      keys: ['o'],
      does: 'open the page of the block',
      run: () => {
        if (address.peek().node !== null) go({ view: 'block' })
      },
    },
    { keys: ['Escape'], does: 'select no block', run: () => address.peek().node !== null && select(null) },
  ])
  const key = id === null ? null : JSON.stringify([name, id, at])
  const loaded = useLoaded(key, async (stop) => ({ key, node: await api.node(name, id ?? '', at, stop) }))
  if (id === null) return <Nothing>Select a block in the picture or in the list.</Nothing>
  if (loaded.failure && loaded.state === 'failed') {
    if (loaded.failure.status !== 404) return <Problem failure={loaded.failure} again={loaded.again} />
    return <Absent id={id} />
  }
  if (!loaded.value) return <Waiting what="the block" />
  return <Shown node={loaded.value.node} />
}

/** The block is not in this call: says when it was. */
function Absent({ id }: { id: string }): JSX.Element {
  const life = useLife(id)
  if (life.failure && life.state === 'failed') return <Problem failure={life.failure} again={life.again} />
  if (!life.value) return <Waiting what="the block" />
  const { first_snapshot: first, last_snapshot: last, state } = life.value
  return (
    <div class="block">
      <div class="block-head">
        <Swatch kind={life.value.kind ?? 'other'} />
        <b>
          <Safe text={id} />
        </b>
      </div>
      <p class="absent">
        {first === null || last === null ? 'No call carried this block. ' : `It is not in ${atName.value}. `}
        {first !== null && last !== null && (
          <>
            It was in{' '}
            <button type="button" onClick={() => select(id, first)}>
              @c{first}
            </button>{' '}
            to{' '}
            <button type="button" onClick={() => select(id, last)}>
              @c{last}
            </button>
            {state === 'gone' ? ' and is gone.' : '.'}
          </>
        )}
      </p>
      <h2>Life</h2>
      <Events life={life.value} />
    </div>
  )
}

function Shown({ node }: { node: NodeAnswer }): JSX.Element {
  const { text, json } = contentOf(node)
  return (
    <article class="block" aria-label="Selected block">
      <header class="block-head">
        <Swatch kind={node.kind ?? 'other'} />
        <b>
          <Safe text={node.node} />
        </b>
        {node.role && (
          <span>
            <Safe text={node.role} />
          </span>
        )}
        {node.kind && <span class="faint">{node.kind}</span>}
        <span class="block-tools">
          {!node.erased && <Copy what="copy" text={() => text} />}
          <Copy what="copy id" text={() => node.node} />
          <button type="button" onClick={() => go({ view: 'block' })} title="Life, versions, calls (o)">
            page
          </button>
        </span>
      </header>
      <Place node={node} />
      <div class="content">{node.erased ? <Erased /> : <Content text={text} json={json} />}</div>
      <Facts node={node} />
      <References title="Refers to" ids={node.refers_to} />
      <References title="Referred to by" ids={node.referred_by} />
      <Life id={node.node} />
    </article>
  )
}

/** Bytes of the thread, and in which calls the block was. */
function Place({ node }: { node: NodeAnswer }): JSX.Element {
  const calls = node.carried?.reduce((n, span) => n + span.to - span.from + 1, 0) ?? 0
  return (
    <p class="block-place">
      {node.start !== undefined && node.end !== undefined && (
        <button
          type="button"
          class="link"
          onClick={() => go({ view: 'request' })}
          title="Show these bytes in the request">
          bytes {count(node.start)}–{count(node.end)} of {atName.value}
        </button>
      )}
      {node.bytes !== undefined && <span>{bytes(node.bytes)}</span>}
      {node.tokens !== undefined && <span>{plural(node.tokens, 'token')}</span>}
      {calls > 0 && (
        <span>
          in {plural(calls, 'call')}:{' '}
          {node.carried?.map((c) => (c.from === c.to ? `@c${c.from}` : `@c${c.from}–@c${c.to}`)).join(', ')}
        </span>
      )}
      <Who cycle={node.born} by={node.by} />
    </p>
  )
}

function Facts({ node }: { node: NodeAnswer }): JSX.Element | null {
  const all = Object.entries({ ...node.headers, ...node.attributes })
  if (all.length === 0) return null
  return (
    <>
      <h2>Headers</h2>
      <dl class="facts">
        {all.map(([name, value]) => (
          <div key={name}>
            <dt>
              <Safe text={name} />
            </dt>
            <dd>
              <Safe text={typeof value === 'string' ? value : JSON.stringify(value)} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}

function References({ title, ids }: { title: string; ids: string[] | undefined }): JSX.Element | null {
  if (!ids || ids.length === 0) return null
  return (
    <>
      <h2>{title}</h2>
      <p class="references">
        {ids.map((id) => (
          <button type="button" key={id} onClick={() => select(id)}>
            <Safe text={id} />
          </button>
        ))}
      </p>
    </>
  )
}

function Life({ id }: { id: string }): JSX.Element | null {
  const life = useLife(id)
  if (!life.value || life.value.id !== id) return null
  return (
    <>
      <h2>Life</h2>
      <Events life={life.value} />
    </>
  )
}
