// Every request to the server is made here, and the types of its answers are here. The
// members have the names that they have on the wire; docs/server.md explains them.

import type { Checked, Explanation, Life, RangeDiff, RichDiff } from './answers'
import type { CallList, Strata, Unit } from './pictures'

export type * from './answers'
export type * from './pictures'

export interface ContextRow {
  name: string
  edition: string
  first_cycle: number
  last_cycle: number
  cycles: number
  revision: number
  /** How many questions aside of its conversation the list leaves out. */
  aside?: number
  calls?: number
  bytes?: number
  changed?: string
  forked_from?: { name: string; cycle: number }
  begun_by?: { context: string; node?: string; cycle?: number }
  /** For each call, or the worst of several, how much of it was sent anew because the prefix was
   * cut, 0 to 1. */
  cuts?: number[]
}

export interface ContextPage {
  items: ContextRow[]
  next?: string
}

export interface BlockRow {
  /** How many blocks stand before it. */
  place: number
  node: string
  kind: string
  role?: string
  type?: string
  tool?: string
  /** Of a result: the node of its call; of a call: the node of its first result. */
  call?: string
  result?: string
  failed?: boolean
  stub?: boolean
  erased?: boolean
  bytes: number
  tokens?: number
  start: number
  born: number
  by?: string
  first: string
  new: boolean
  /** How many calls up to the state carried it. */
  calls: number
}

export interface KindSum {
  kind: string
  blocks: number
  bytes: number
  tokens?: number
}

export interface BlockPage {
  items: BlockRow[]
  next?: number
  total: number
  sums: KindSum[]
  /** `height` is in the unit. */
  cut?: { start: number; height: number; node?: string; cause?: string }
}

export interface BlockQuery {
  at: string
  vs?: string | undefined
  /** How many rows were listed before. */
  after?: number
  limit?: number
  kind?: string | undefined
  order?: 'place' | 'bytes' | 'carried'
  failed?: boolean | undefined
  q?: string | undefined
  /** Only blocks that the other state has not in the same place. */
  new?: boolean | undefined
  unit?: Unit
}

export interface NodeAnswer {
  node: string
  type: string
  class: string
  kind?: string
  role?: string
  region?: string
  parent?: string
  turn?: string
  tool?: string
  failed?: boolean
  erased?: boolean
  headers: Record<string, unknown>
  attributes?: Record<string, unknown>
  /** A text as it is, any other content as canonical JSON; only the beginning unless complete. */
  content?: string
  content_form?: 'text' | 'json'
  complete: boolean
  content_bytes: number
  bytes: number
  tokens?: number
  start: number
  end: number
  place: number
  born: number
  by?: string
  message?: string
  refers_to: string[]
  referred_by: string[]
  stands_for?: string[]
  carried: { from: number; to: number }[]
}

export interface TreeRow {
  node: string
  depth: number
  class: string
  region?: string
  type: string
  offset: number
  ttl_left?: number
  role?: string
  kind?: string
  key?: string
  born: number
  blocks: number
  bytes: number
  tokens?: number
  children: number
  first?: string
}

export interface TreePage {
  items: TreeRow[]
  next?: number
  total: number
}

/** One call of a provider, as docs/attempts.md has it. */
export interface Attempt {
  attempt_id: string
  cycle_id: number
  status: 'running' | 'completed' | 'canceled' | 'error'
  started_at: string
  ended_at: string | null
  provider: string
  model: string
  token_in: number | null
  token_out: number | null
  error?: string
  thread_hash: string
}

/** How much a snapshot has of what a policy can limit. */
export interface Weight {
  nodes: number
  turns: number
  blocks: number
  bytes: number
  tokens?: number
}

/** A pruning policy, as docs/policies.md has it; the screen looks at its limits alone. */
export interface Policy {
  max_bytes?: number
  max_tokens?: number
  [rest: string]: unknown
}

export interface KeptPolicy {
  policy?: Policy
}

/** What a commit with a pruning would remove, and what that would cost. */
export interface PrunePlan {
  cycle: number
  report: {
    removed?: { id: string; reason: string; rule?: string }[] | null
    stubs?: { id: string; for: string[] }[] | null
    freed?: { nodes: number; bytes: number; tokens?: number }
    budget?: string
  }
  before: Weight
  after: Weight
  cached?: { without_bytes: number; with_bytes: number; lost_bytes: number; lost_tokens?: number }
}

/** Where a text stands in all calls of a context. */
export interface Occurrences {
  context: string
  items: Occurrence[]
  total: number
}

/** A block with the text, and the first and the last call that had it; with a state no finished call has it. */
export interface Occurrence {
  node: string
  kind?: string
  role?: string
  first: number
  last: number
  state?: 'unsent' | 'unanswered'
  count: number
  line: string
}

export interface FormsAnswer {
  forms: string[]
  /** Numbers of the attempts whose bodies were recorded. */
  attempts: number[]
}

export interface NamesAnswer {
  types: string[]
  attributes: { name: string; values?: string[] }[]
  keys: string[]
  tags: string[]
  tools: string[]
  roles: string[]
}

/** Why the server refused a request, or why it could not be asked. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: { offset?: number; token?: string; node?: string; remedy?: string } = {},
  ) {
    super(message)
  }

  static of({ status, code, detail, ...details }: Refusal): Failure {
    return new Failure(status, code, detail, details)
  }
}

/** What the server says of a request that it refuses. */
export interface Refusal {
  status: number
  code: string
  detail: string
  offset?: number
  token?: string
  node?: string
  remedy?: string
}

/** The code of a failure to reach the server at all. */
export const unreachable = 'E_UNREACHABLE'

type Parameters = Record<string, string | number | boolean | undefined>

/** Asks the server and returns its answer as it came. A refusal is a Failure. */
export async function ask(path: string, given: RequestInit = {}): Promise<Response> {
  let answer: Response
  try {
    answer = await fetch(path, given)
  } catch (problem) {
    if (problem instanceof DOMException && problem.name === 'AbortError') throw problem
    throw new Failure(0, unreachable, 'The server does not answer.', { remedy: 'Is pact still running?' })
  }
  if (answer.ok) return answer
  const refusal = await answer.json().catch(() => ({}))
  throw Failure.of({ status: answer.status, code: 'E_ANSWER', detail: answer.statusText, ...refusal })
}

/** Asks for JSON. */
export async function get<T>(path: string, parameters: Parameters = {}, signal?: AbortSignal): Promise<T> {
  const answer = await ask(path + queryOf(parameters), signal ? { signal } : {})
  return answer.json() as Promise<T>
}

async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const answer = await ask(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
  return (answer.status === 204 ? undefined : answer.json()) as Promise<T>
}

function queryOf(parameters: Parameters): string {
  const list = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '')
  if (list.length === 0) return ''
  return '?' + list.map(([name, value]) => name + '=' + encodeURIComponent(String(value))).join('&')
}

/** Returns the path of an operation on a context. */
export function pathOf(name: string, rest = ''): string {
  return '/v1/contexts/' + encodeURIComponent(name) + rest
}

/** Returns calls as the API takes them, all of them for 0 to 0. */
function span(from: number, to: number): Parameters {
  return to === 0 ? {} : { from: '@c' + from, to: '@c' + to }
}

/** Imports a file. The server finds out what it is. */
async function importFile(name: string, file: Blob): Promise<{ contexts: ContextRow[] }> {
  const answer = await ask('/v1/import' + queryOf({ name }), { method: 'POST', body: file,
    headers: { 'Content-Type': 'application/octet-stream' } })
  return answer.json() as Promise<{ contexts: ContextRow[] }>
}

export const api = {
  importFile,
  signIn: (token: string) => post<void>('/v1/session', { token }),
  signOut: () => ask('/v1/session', { method: 'DELETE' }),
  family: (name: string) => get<ContextPage>(pathOf(name, '/family')),
  searchCalls: (name: string, q: string, signal?: AbortSignal) =>
    get<Occurrences>(pathOf(name, '/search'), { q }, signal),
  searchContexts: (q: string, after: string, signal?: AbortSignal) =>
    get<{ items: Occurrences[]; next?: string }>('/v1/search', { q, after }, signal),
  planFork: (name: string, at: string, ids: string[], signal?: AbortSignal) =>
    post<PrunePlan>(pathOf(name, '/plan') + queryOf({ at, unit: 'tokens' }), { policy: {}, ids }, signal),
  fork: (name: string, at: string, to: string) => post<ContextRow>(pathOf(name, '/fork'), { at, name: to }),
  prune: (name: string, cycle: number, ids: string[], message: string) =>
    post<unknown>(pathOf(name, '/commits'), { cycle, pruning: { policy: {}, ids }, message }),
  contexts: (after: string, signal?: AbortSignal) =>
    get<ContextPage>('/v1/contexts', { after, limit: 1000, details: true }, signal),
  context: (name: string, signal?: AbortSignal) => get<ContextRow>(pathOf(name), {}, signal),
  calls: (name: string, from: number, to: number, unit: Unit, signal?: AbortSignal) =>
    get<CallList>(pathOf(name, '/calls'), { ...span(from, to), unit, limit: 4000 }, signal),
  strata: (name: string, from: number, to: number, columns: number, rows: number, unit: Unit, signal?: AbortSignal) =>
    get<Strata>(pathOf(name, '/strata'), { ...span(from, to), columns, rows, unit, draft: true }, signal),
  blocks: (name: string, query: BlockQuery, signal?: AbortSignal) =>
    get<BlockPage>(pathOf(name, '/blocks'), { ...query }, signal),
  node: (name: string, id: string, at: string, signal?: AbortSignal) =>
    get<NodeAnswer>(pathOf(name, '/nodes/' + encodeURIComponent(id)), { at }, signal),
  tree: (name: string, at: string, unit: Unit, after: number, limit: number, signal?: AbortSignal) =>
    get<TreePage>(pathOf(name, '/tree'), { at, unit, after, limit }, signal),
  forms: (name: string, at: string, signal?: AbortSignal) =>
    get<FormsAnswer>(pathOf(name, '/forms'), { at }, signal),
  names: (name: string, at: string, signal?: AbortSignal) =>
    get<NamesAnswer>(pathOf(name, '/names'), { at }, signal),
  attempts: (name: string, from: number, to: number, signal?: AbortSignal) =>
    get<{ items: Attempt[] }>(pathOf(name, '/attempts'), { from, to }, signal),
  richDiff: (name: string, from: string, to: string, signal?: AbortSignal, select = '') =>
    get<RichDiff>(pathOf(name, '/diff'), { from, to, select, content_mode: 'tokens' }, signal),
  life: (name: string, id: string, signal?: AbortSignal) =>
    get<Life>(pathOf(name, '/nodes/' + encodeURIComponent(id) + '/life'), {}, signal),
  select: (name: string, q: string, limit: number, signal?: AbortSignal) =>
    get<{ ids: string[] }>(pathOf(name, '/select'), { q, limit }, signal),
  check: (name: string, q: string, signal?: AbortSignal) =>
    get<Checked>(pathOf(name, '/check'), { q }, signal),
  explain: (name: string, q: string, signal?: AbortSignal) =>
    get<Explanation>(pathOf(name, '/explain'), { q }, signal),
  range: (name: string, q: string, signal?: AbortSignal) =>
    get<RangeDiff>(pathOf(name, '/range'), { q, max_snapshots: 50, max_changes: 500 }, signal),
  grep: (name: string, q: string, at: string, signal?: AbortSignal) =>
    get<{ items: { node: string }[]; next?: number }>(pathOf(name, '/grep'), { q, at, limit: 1000 }, signal),
  policy: (name: string, signal?: AbortSignal) => get<KeptPolicy>(pathOf(name, '/policy'), {}, signal),
  plan: (name: string, policy: Policy, signal?: AbortSignal) =>
    post<PrunePlan>(pathOf(name, '/plan'), { policy }, signal),
}
