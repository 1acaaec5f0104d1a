// Every request to the server is made here. The types of its answers are those of the client in
// TypeScript, which docs/openapi.json gives; docs/server.md explains their members.

import type {
  Attempts, CallList, ContextInfo, ContextPage, DiffReport, Failure as Refusal,
  Found, InspectPrunePlan, InspectTimeline, LifecyclePolicy, MatchPage, Policies,
  SimulatedPolicy, SimulateReport, SimulateResult,
  ViewBlockPage, ViewColumn, ViewNames, ViewNode, ViewPicture, ViewTreePage,
} from '../../clients/typescript/src/schema'

export type {
  CallList, ContextInfo as ContextRow, ContextPage, DiffCause as Cause, DiffComponent as Component,
  DiffContentDiff as ContentDiff, DiffModification as Modification, DiffRange as Range,
  DiffRangeDiffLatestResult as RangeDiff, DiffReport as RichDiff, Failure as Refusal,
  InspectEvent as LifeEvent, InspectExplanation as Explanation, InspectPrunePlan as PrunePlan,
  InspectTimeline as Life, InspectWeight as Weight, LifecyclePolicy as Policy, Occurrence, Occurrences, Policies,
  SimulatedPolicy, SimulateFinding as Finding, SimulateOutcome as Outcome,
  SimulateResult as Simulation, ViewBlock as BlockRow, ViewBlockPage as BlockPage, ViewCall as Call, ViewCallCut as Cut,
  ViewKindSum as KindSum, ViewNames as NamesAnswer, ViewNode as NodeAnswer, ViewTreePage as TreePage,
  ViewTreeRow as TreeRow, Attempt,
} from '../../clients/typescript/src/schema'

export type Unit = 'bytes' | 'tokens'

/** Height, index of the kind, number of blocks, id of the first block, the cycle that brought
 * it, index of the actor, size of the largest block. */
export type Band = [number, number, number, string, number, number, number]

export interface Column extends Omit<ViewColumn, 'bands'> {
  /** The column is a call of another context, which the call that is shown is compared with. */
  guest?: string
  bands: Band[]
}

export interface Strata extends Omit<ViewPicture, 'columns' | 'rows'> {
  columns: Column[]
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
  const { error, ...refusal } = (await answer.json().catch(() => null)) ?? {}
  const told = error?.details ? { ...error.details, code: error.details.reason, detail: error.message } : refusal // edition 1.0
  throw Failure.of({ status: answer.status, code: 'E_ANSWER', detail: answer.statusText, ...told })
}

/** Asks for JSON. */
export async function get<T>(path: string, parameters: Parameters = {}, signal?: AbortSignal): Promise<T> {
  const answer = await ask(path + queryOf(parameters), { signal: signal ?? null })
  return answer.json() as Promise<T>
}

/** Sends JSON, or a file as it is, and asks for JSON. */
async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const answer = await ask(path, {
    method: 'POST',
    headers: { 'Content-Type': body instanceof Blob ? 'application/octet-stream' : 'application/json' },
    body: body instanceof Blob ? body : JSON.stringify(body),
    signal: signal ?? null,
  })
  return (answer.status === 204 ? undefined : answer.json()) as Promise<T>
}

/** Returns the query of a path, without what is absent or empty. */
export function queryOf(parameters: Parameters): string {
  const list = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '')
  if (list.length === 0) return ''
  return '?' + list.map(([name, value]) => name + '=' + encodeURIComponent(String(value))).join('&')
}

/** Returns the path of an operation on a context. */
export function pathOf(name: string, rest = ''): string {
  return '/v1/contexts/' + encodeURIComponent(name) + rest
}

/** Returns the path of an operation on a node. */
export function nodePathOf(name: string, id: string, rest = ''): string {
  return pathOf(name, '/nodes/' + encodeURIComponent(id) + rest)
}

/** Returns calls as the API takes them, all of them for 0 to 0. */
function span(from: number, to: number): Parameters {
  return to === 0 ? {} : { from: '@c' + from, to: '@c' + to }
}

/** What is taken out by hand takes its partner along: no provider takes a call without its result. */
const wholePairs = { whole_pairs: true }

export const api = {
  /** Imports a file. The server finds out what it is. */
  importFile: (name: string, file: Blob) => post<{ contexts: ContextInfo[] }>('/v1/import' + queryOf({ name }), file),
  signIn: (token: string) => post<void>('/v1/session', { token }),
  signOut: () => ask('/v1/session', { method: 'DELETE' }),
  family: (family: string) => get<ContextPage>('/v1/contexts', { family }),
  /** Looks for a text in all contexts, or in one: in all its calls, or in one state. */
  grep: (q: string, where: { context?: string; at?: string; after?: string }, signal?: AbortSignal) =>
    get<MatchPage>('/v1/grep', { q, context: where.context, from: where.at, to: where.at, after: where.after }, signal),
  planFork: (name: string, at: string, ids: string[], signal?: AbortSignal) =>
    post<InspectPrunePlan>(pathOf(name, '/plan') + queryOf({ at, unit: 'tokens' }), { policy: wholePairs, ids }, signal),
  fork: (name: string, at: string, to: string) => post<ContextInfo>(pathOf(name, '/fork'), { at, name: to }),
  prune: (name: string, cycle: number, ids: string[], message: string) =>
    post<unknown>(pathOf(name, '/commits'), { cycle, pruning: { policy: wholePairs, ids }, message }),
  contexts: (after: string, signal?: AbortSignal) =>
    get<ContextPage>('/v1/contexts', { after, limit: 1000, details: true }, signal),
  context: (name: string, signal?: AbortSignal, since?: number) => get<ContextInfo>(pathOf(name), { since }, signal),
  calls: (name: string, from: number, to: number, unit: Unit, signal?: AbortSignal) =>
    get<CallList>(pathOf(name, '/calls'), { ...span(from, to), unit, limit: 4000 }, signal),
  strata: (name: string, from: number, to: number, columns: number, rows: number, unit: Unit, signal?: AbortSignal) =>
    get<Strata>(pathOf(name, '/strata'), { ...span(from, to), columns, rows, unit, draft: true }, signal),
  blocks: (name: string, query: BlockQuery, signal?: AbortSignal) =>
    get<ViewBlockPage>(pathOf(name, '/blocks'), { ...query }, signal),
  node: (name: string, id: string, at: string, signal?: AbortSignal) =>
    get<ViewNode>(nodePathOf(name, id), { at }, signal),
  tree: (name: string, at: string, unit: Unit, after: number, limit: number, signal?: AbortSignal) =>
    get<ViewTreePage>(pathOf(name, '/tree'), { at, unit, after, limit }, signal),
  names: (name: string, at: string, signal?: AbortSignal) =>
    get<ViewNames>(pathOf(name, '/names'), { at }, signal),
  attempts: (name: string, from: number, to: number, signal?: AbortSignal) =>
    get<Attempts>(pathOf(name, '/attempts'), { from, to }, signal),
  richDiff: (name: string, from: string, to: string, signal?: AbortSignal, select = '') =>
    get<DiffReport>(pathOf(name, '/diff'), { from, to, select, content_mode: 'tokens' }, signal),
  life: (name: string, id: string, signal?: AbortSignal) =>
    get<InspectTimeline>(nodePathOf(name, id, '/life'), {}, signal),
  select: (name: string, q: string, how: { limit?: number; normal?: true; explain?: true; max_snapshots?: number;
    max_changes?: number }, signal?: AbortSignal) => get<Found>(pathOf(name, '/select'), { q, ...how }, signal),
  findings: (name: string, signal?: AbortSignal) => get<SimulateReport>(pathOf(name, '/findings'), {}, signal),
  simulate: (name: string, policies: SimulatedPolicy[], signal?: AbortSignal) =>
    post<SimulateResult>(pathOf(name, '/simulation'), { policies, calls: true }, signal),
  policies: (context: string, signal?: AbortSignal) => get<Policies>('/v1/policies', { context }, signal),
  plan: (name: string, policy: LifecyclePolicy, signal?: AbortSignal) =>
    post<InspectPrunePlan>(pathOf(name, '/plan'), { policy }, signal),
}
