import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { NodeAnswer } from '../api'
import { bytes, count, plural } from '../format'
import { useLoaded } from '../load'
import { useKeys } from '../keys'
import { Copy, Erased, Link, Nothing, Problem, Swatch, Waiting } from '../parts'
import { address, atName, begunAt, declined, go, select } from '../state'
import { line } from '../text'
import { Content, Safe } from './content'
import { Find } from './find'
import { Events, useLife, Who } from './life'
import { factsOf, nodeAt, wholeContent } from './node'

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
    {
      keys: ['Escape'],
      does: 'select no block',
      run: () => {
        declined.value = true // also of a block that is still looked for
        return address.peek().node !== null && select(null)
      },
    },
  ])
  const key = id === null ? null : JSON.stringify([name, id, at])
  const loaded = useLoaded(key, async (stop) => ({ key, node: await nodeAt(name, id ?? '', at, stop) }))
  if (id === null) return <Nothing>Select a block in the picture or in the list.</Nothing>
  if (loaded.failure && loaded.state === 'failed') return <Problem failure={loaded.failure} again={loaded.again} />
  if (!loaded.value) return <Waiting what="the block" />
  return loaded.value.node ? <Shown node={loaded.value.node} /> : <Absent id={id} />
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
      {address.value.view !== 'block' && (
        <>
          <h2>Life</h2>
          <Events life={life.value} />
        </>
      )}
    </div>
  )
}

function Shown({ node }: { node: NodeAnswer }): JSX.Element {
  const [name, at] = [address.value.name ?? '', atName.value]
  return (
    <article class="block" aria-label="Selected block">
      <header class="block-head">
        <Swatch kind={node.shown_kind ?? 'other'} />
        <b>
          <Safe text={node.id} />
        </b>
        {node.shown_role && (
          <span>
            <Safe text={node.shown_role} />
          </span>
        )}
        <span class="faint">{node.shown_kind?.replace('_', ' ') ?? node.class}</span>
        {node.tool && (
          <code>
            <Safe text={line(node.tool, 60)} />
          </code>
        )}
        {node.failed && <span class="failed">failed</span>}
        <span class="block-tools">
          {node.text !== undefined && <Copy what="copy" text={() => wholeContent(name, node, at)} />}
          <Copy what="copy id" text={() => node.id} />
          <PageButton />
        </span>
      </header>
      <Place node={node} />
      {node.erased ? <div class="content"><Erased /></div> : <Body key={node.id + at} node={node} />}
      <Began node={node.id} />
      <Facts node={node} />
      <References title="Refers to" ids={node.refs} />
      <References title="Referred to by" ids={node.referred_by} />
      <References title="Stands for" ids={node.stands_for} />
      {address.value.view !== 'block' && <Life id={node.id} />}
    </article>
  )
}

/** Leads to the page of the block, or from there back to the call. */
function PageButton(): JSX.Element {
  const [view, word] = address.value.view === 'block' ? ['thread' as const, 'call'] : ['block' as const, 'page']
  return (
    <button type="button" onClick={() => go({ view })} title="Versions, life, its calls (o)">
      {word}
    </button>
  )
}

/** The content, or its beginning and a button that fetches the rest. */
function Body({ node }: { node: NodeAnswer }): JSX.Element {
  const [name, at] = [address.value.name ?? '', atName.value]
  const [asked, ask] = useState(false)
  const key = asked && !node.complete ? JSON.stringify([name, node.id, at]) : null
  const rest = useLoaded(key, (stop) => wholeContent(name, node, at, stop))
  const box = useRef<HTMLDivElement>(null)
  if (node.text === undefined) return <div class="content faint">no content</div>
  const text = rest.value ?? node.text
  return (
    <div class="content">
      <Find within={box} of={node.id + at + text.length} />
      <div ref={box}>
        <Content text={text} json={node.content_form === 'json' && (node.complete || rest.value !== undefined)} />
      </div>
      {!node.complete && rest.value === undefined && (
        <button type="button" onClick={() => ask(true)} disabled={asked && rest.state === 'loading'}>
          {asked && rest.state === 'loading' ? 'fetching…' : `show all ${bytes(node.content_bytes)}`}
        </button>
      )}
      {rest.failure && <Problem failure={rest.failure} again={rest.again} />}
    </div>
  )
}

/** The contexts that the block began: the sub-agents of a call. */
function Began({ node }: { node: string }): JSX.Element | null {
  const list = begunAt(node)
  if (list.length === 0) return null
  return (
    <>
      <h2>Began</h2>
      <p class="references">
        {list.map((name) => (
          <Link key={name} to={{ name }}>
            ↳ <Safe text={name} />
          </Link>
        ))}
      </p>
    </>
  )
}

/** Bytes of the thread, and in which calls the block was. */
function Place({ node }: { node: NodeAnswer }): JSX.Element {
  const calls = node.carried.reduce((n, span) => n + span.to - span.from + 1, 0)
  const spans = node.carried.map((c) => (c.from === c.to ? `@c${c.from}` : `@c${c.from}–@c${c.to}`)).join(', ')
  return (
    <p class="block-place">
      <button
        type="button"
        class="link"
        onClick={() => go({ view: 'request' })}
        title="Show these bytes in the request">
        bytes {count(node.start)}–{count(node.end)} of {atName.value}
      </button>
      <span>{bytes(node.bytes)}</span>
      {node.tokens !== undefined && <span>{plural(node.tokens, 'token')}</span>}
      {calls > 0 && (
        <span>
          in {plural(calls, 'call')}: {spans}
        </span>
      )}
      <Who cycle={node.cycle} by={node.by} message={node.message} />
    </p>
  )
}

function Facts({ node }: { node: NodeAnswer }): JSX.Element | null {
  return (
    <>
      <h2>Headers</h2>
      <dl class="facts">
        {factsOf(node).map(([name, value]) => (
          <div key={name}>
            <dt>
              <Safe text={name} />
            </dt>
            <dd>
              <Safe text={value} />
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
