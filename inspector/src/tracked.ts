// Components and signals: one that reads signals while it renders is rendered again when one of them changes. The names
// of a letter and those with underscores are private ones of the two packages, of exactly the versions in vendor.
import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals-core'
import { Component, Fragment, options } from 'preact'
import { useMemo } from 'preact/hooks'

/** An effect of the signals that a component reads: S begins to note them and returns what ends that, c is called when
 * one changes, d ends the effect, and s are those that were noted. */
interface Reader {
  S(): () => void
  c: () => void
  d(): void
  s?: object
}

interface Tracked extends Component {
  reader?: Reader
  changed?: boolean
}

const hooks = options as unknown as Record<string, ((...given: any[]) => void) | undefined>

/** Ends to note what the component reads that renders now. */
let end: (() => void) | undefined

function stop(): void {
  const now = end
  end = undefined
  now?.()
}

/** Does something more where preact calls one of its hooks. */
function before(hook: string, run: (vnode: any) => void): void {
  const old = hooks[hook]
  hooks[hook] = (...given) => {
    run(given[0])
    old?.(...given)
  }
}

function readerOf(component: Tracked): Reader {
  let reader: Reader
  effect(function (this: Reader) {
    reader = this
  } as () => void)
  reader!.c = () => {
    component.changed = true
    component.setState({})
  }
  return reader!
}

for (const hook of ['__b', '__e', 'diffed']) before(hook, stop)
before('unmount', (vnode) => (vnode.__c as Tracked | undefined)?.reader?.d())
const rendering = hooks['__r']
hooks['__r'] = (vnode) => {
  rendering?.(vnode)
  const component = vnode.__c as Tracked | undefined
  if (vnode.type === Fragment || !component) return
  stop()
  component.changed = false
  end = (component.reader ??= readerOf(component)).S()
}

/** A component that reads signals is rendered again for one of these, for its own state, and for other properties. */
Component.prototype.shouldComponentUpdate = function (this: Tracked, next: object) {
  const now = this.props as Record<string, unknown>
  return !this.reader?.s || this.changed! || Object.keys({ ...now, ...next }).some((name) => now[name] !== (next as typeof now)[name])
}

/** A signal of a component. */
export function useSignal<T>(value: T): Signal<T> {
  return useMemo(() => signal(value), [])
}

/** A signal of a component that follows from others. */
export function useComputed<T>(compute: () => T): ReadonlySignal<T> {
  return useMemo(() => computed(compute), [])
}
