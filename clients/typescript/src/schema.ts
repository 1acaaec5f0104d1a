// generate.mjs writes this file from docs/openapi.json, whose
// SHA-256 is edfd6b376c384b7b879dd25ebd69dcfa37a819992ef0b0927a6aa9aa5463a1dc.

export interface Attempt {
  attempt_id: string
  cycle_id: number
  ended_at: string | null
  error?: string
  model: string
  params_hash: string
  provider: string
  started_at: string
  status: 'running' | 'completed' | 'canceled' | 'error'
  thread_hash: string
  token_in: number | null
  token_out: number | null
}

export interface Attempts {
  /** In which get-thread returns what each of these calls was sent */
  forms: ('canonical' | 'openai' | 'responses' | 'anthropic' | 'gemini' | 'text' | 'markdown' | 'verbatim')[]
  items: Attempt[]
  /** Value of after for the next page; absent on the last page */
  next?: number
  /** Ids of those whose request was recorded, which get-thread also returns as verbatim */
  recorded?: string[] | null
}

export interface BegunBy {
  context: string
  /** The first call that had this block; absent in a list if its id does not say it */
  cycle?: number
  /** Block of the call; absent where the log does not name it */
  node?: string
}

export interface CallList {
  /** The date of the prices */
  as_of: string
  /** Of what attempts cost */
  currency: string
  items: ViewCall[]
  /** Value of after for the next page; absent on the last page */
  next?: number
  /** How tokens were counted; approx: says that they were not counted exactly */
  tokenizer?: string
  unit: 'bytes' | 'tokens'
}

export interface Committed {
  /** Of its thread */
  blocks: number
  /** Of its thread */
  bytes: number
  /** Of the new snapshot */
  cycle: number
  /** Of the new snapshot */
  digest: string
  /** For each edit the node concerned; absent if repeated */
  ids?: string[] | null
  /** An earlier request with the same key did it */
  repeated?: boolean
  /** What the commit removed and held back, and why */
  report?: LifecycleReport
  /** Number of the log entry */
  revision: number
}

export interface Committing {
  /** Who does it, for the log */
  actor?: string
  /** The latest cycle that the client knows, last_cycle of the context */
  cycle: number
  /** Edits that become part of the commit */
  edits?: Edit[] | null
  /** Why, for the log */
  message?: string
  /** What to remove besides expired nodes */
  pruning?: Pruning
}

export interface ContextInfo {
  /** Of a list: how many contexts aside of its conversation are left out */
  aside?: number
  /** What began it, if it is a sub-agent */
  begun_by?: BegunBy
  /** Of the canonical thread of the latest snapshot */
  bytes?: number
  /** Number of snapshots; absent without details, as all that follows */
  calls?: number
  /** When it changed last */
  changed?: string
  /** Shares of its calls that were sent anew after a cut of the canonical thread; beyond 60 calls the largest of 2, 4, 8 … neighbours */
  cuts?: number[] | null
  /** Number of snapshots */
  cycles: number
  /** Edition of its selectors */
  edition: string
  /** Cycle of the oldest snapshot */
  first_cycle: number
  /** Where it began, if it is a fork */
  forked_from?: ForkedFrom
  /** Cycle of the latest snapshot; below first_cycle if there is none */
  last_cycle: number
  name: string
  /** Number of the latest log entry */
  revision: number
  /** Of a copy in another edition: what became of those of the rules that it keeps */
  selectors?: InspectMigrated[] | null
  /** With at: the state there */
  state?: Digested
  /** With since: what those calls cost, and how many broke */
  sums?: Summed
}

export interface ContextPage {
  items: ContextInfo[]
  /** Value of after for the next page; absent on the last page */
  next?: string
}

export interface DiffCause {
  actor?: string
  cycle: number
  inferred?: boolean
  kind: string
  message?: string
  revision?: number
  rule?: string
}

export interface DiffComponent {
  cause: DiffCause
  id: string
  new_range: DiffRange | null
  nodeType: string
  parent_id: string
  previous_range: DiffRange | null
}

export interface DiffContentDiff {
  diff?: string
  hunks?: DiffHunk[] | null
  mime?: string
  mode: string
  patch?: unknown
  summary: DiffContentSummary
}

export interface DiffContentSummary {
  bytesNewer: number
  bytesOlder: number
  identical: boolean
  truncated: boolean
}

export interface DiffField {
  name: string
  new: unknown
  previous: unknown
}

export interface DiffHeaderValues {
  from: Record<string, unknown>
  to: Record<string, unknown>
}

export interface DiffHunk {
  op: 'keep' | 'del' | 'ins'
  text: string
}

export interface DiffModification {
  cause: DiffCause
  content_diff?: DiffContentDiff
  fields: DiffField[]
  id: string
  new_range: DiffRange | null
  nodeType: string
  offset_changed?: DiffOffsetChanged
  parent_changed?: DiffParentChanged
  previous_range: DiffRange | null
}

export interface DiffMove {
  cause: DiffCause
  content_hash: string
  new_id: string
  new_parent_id: string
  new_range: DiffRange | null
  previous_id: string
  previous_parent_id: string
  previous_range: DiffRange | null
}

export interface DiffNodeChange {
  content_diff?: DiffContentDiff
  delta?: Record<string, DiffValues>
  fields: string[] | null
  id: string
  materialized?: DiffHeaderValues
}

export interface DiffOffsetChanged {
  new_offset: number
  previous_offset: number
}

export interface DiffParentChanged {
  new_parent_id: string
  previous_parent_id: string
}

export interface DiffRange {
  end: number
  start: number
}

export interface DiffRangeBlock {
  added_ids: string[]
  changed: DiffNodeChange[]
  from: DiffSnapshotRef
  removed_ids: string[]
  stats: DiffRangeStats
  to: DiffSnapshotRef
}

export interface DiffRangeDiffLatestResult {
  diffs: DiffRangeBlock[]
  errors?: DiffRangeError[] | null
  limits?: DiffRangeLimits
  mode: string
  query: string
  snapshots: DiffSnapshotRef[]
  warnings?: string[] | null
}

export interface DiffRangeError {
  code: string
  fatal: boolean
  message: string
}

export interface DiffRangeLimits {
  maxChangesPerSnapshot?: number
  maxSnapshots?: number
  truncated: boolean
}

export interface DiffRangeStats {
  added: number
  changed: number
  removed: number
}

export interface DiffReplacement {
  cause: DiffCause
  content_diff?: DiffContentDiff
  key: string
  new_id: string
  new_range: DiffRange | null
  previous_id: string
  previous_range: DiffRange | null
}

export interface DiffReport {
  children_added: Record<string, string[] | null>
  children_removed: Record<string, string[] | null>
  components_added: DiffComponent[]
  components_modified: DiffModification[]
  components_removed: DiffComponent[]
  from: DiffSide
  moves: DiffMove[]
  replacements: DiffReplacement[]
  to: DiffSide
}

export interface DiffSide {
  blocks: number
  bytes: number
  cycle: number
  label: string
}

export interface DiffSnapshotRef {
  cycle: number
  kind: string
  label: string
  value: number
}

export interface DiffValues {
  from: unknown
  to: unknown
}

export interface Digested {
  cycle: number
  /** Of the whole state */
  digest: string
}

export interface Edit {
  /** Of add and move, instead of into: a position such as (d0, end) */
  at?: string
  /** Of add and move in edition 1.0, instead of into: a new turn at this depth of the history */
  depth?: number
  /** Of update, move and remove: the node; of result: the call */
  id?: string
  /** Of reorder: the siblings in their new order */
  ids?: string[] | null
  /** Of add and move: ^sys, ^ah or the id of the parent */
  into?: string
  /** Of add, result and replace: the node */
  node?: NewNode
  /** Of move with into: the new offset */
  offset?: number
  /** result adds the result of a call; policy keeps a policy with the context */
  op: 'add' | 'result' | 'update' | 'replace' | 'move' | 'remove' | 'reorder' | 'policy'
  /** Of policy: what each commit follows that has none, or the name of a ready policy; absent to keep none */
  policy?: LifecyclePolicy | string
  /** Of update: headers and their values; null takes one away */
  set?: Record<string, unknown>
}

export interface Edited {
  /** Of the working state afterwards */
  digest: string
  /** For each edit the node concerned; absent if repeated */
  ids?: string[] | null
  /** An earlier request with the same key did it */
  repeated?: boolean
  /** Number of the log entry */
  revision: number
}

export interface Editing {
  /** Who does it, for the log */
  actor?: string
  /** The latest cycle that the client knows, last_cycle of the context */
  cycle: number
  edits: Edit[]
  /** Why, for the log */
  message?: string
}

export interface Erasing {
  /** Who asks for it, for the log */
  actor?: string
  /** Only say what would go */
  dry_run?: boolean
  /** Nodes, which go with everything that is or ever was below them */
  ids?: string[] | null
  /** For the log; it must not contain what is erased */
  reason?: string
  /** Log entries that lose actor, message, request token and report */
  revisions?: number[] | null
  /** Every node and every log entry that contains one of these texts goes */
  texts?: string[] | null
}

export interface Failure {
  /** One of docs/errors.md, or one of HTTP in docs/server.md */
  code: string
  /** What is wrong */
  detail: string
  /** Line of the document, from 1 */
  line?: number
  /** What others wrote that the request did not know, oldest first */
  meanwhile?: Written[] | null
  /** The id of the node concerned */
  node?: string
  /** Byte of the selector or the document, from 0 */
  offset?: number
  /** What to do about it */
  remedy?: string
  status: number
  /** What the status means */
  title: string
  /** The part of the input that is wrong */
  token?: string
}

export interface ForkedFrom {
  cycle: number
  /** The context; empty if it was deleted */
  name: string
}

export interface Forking {
  /** Who does it, for the log */
  actor?: string
  /** Address of the snapshot, the latest by default */
  at?: string
  /** Why, for the log */
  message?: string
  /** Name of the fork */
  name: string
}

export interface Found {
  /** With normal: what is wrong with the text, as select would refuse it */
  error?: Failure
  /** With explain: how it is evaluated */
  explanation?: InspectExplanation
  /** Empty for a range, and where nothing was to be found */
  ids: string[]
  /** With normal: the selector in its normal form */
  normal?: string
  /** Of a range of snapshots: how the nodes changed from one to the next */
  range?: DiffRangeDiffLatestResult
  /** What means nothing in the selector and is ignored */
  warnings?: string[]
}

export interface HistoryEntry {
  actor?: string
  cycle: number
  digest?: string
  kind: string
  message?: string
  report?: unknown
  request?: string
  revision: number
  sent?: string
  thread?: string
  time_ns: number
}

export interface HistoryErased {
  attempts?: number
  contexts?: string[] | null
  digests?: number
  entries?: number
  ids?: string[] | null
  receipt?: string
  remains?: string
  salt_sha256?: string
  versions?: number
}

export interface Imported {
  contexts: ContextInfo[]
  /** What had to be mended */
  findings?: InspectFinding[] | null
}

export interface InspectCachedPrefix {
  lost_bytes: number
  lost_tokens?: number
  prefix: InspectSharedPrefix | null
  reasoning_behind: number
  with_bytes: number
  without_bytes: number
}

export interface InspectEvent {
  cause?: DiffCause
  cycle: number
  draft?: boolean
  fields?: DiffField[] | null
  kept?: string
  node?: string
  parent_id?: string
  reason?: string
  region?: string
  turn?: string
  until?: number
  what: string
}

export interface InspectExplainedGroup {
  steps: InspectExplainedStep[]
  text: string
}

export interface InspectExplainedStep {
  reach: string
  skips?: string[] | null
  text: string
}

export interface InspectExplanation {
  choice?: string
  edition: string
  groups: InspectExplainedGroup[]
  nodes: number
  order: string
  returned: number
  selector: string
  skipped: number
  snapshots: number
  visited: number
  window?: string[] | null
}

export interface InspectFinding {
  code: string
  message: string
  node?: string
}

export interface InspectMigrated {
  cycle?: number
  doubts?: string[] | null
  from: string
  rule: number
  to?: string
}

export interface InspectPrunePlan {
  after: InspectWeight
  before: InspectWeight
  cached?: InspectCachedPrefix
  cycle: number
  report: LifecycleReport
}

export interface InspectSharedPrefix {
  blocks: number
  bytes: number
  complete: boolean
  newer?: string
  of_blocks: number
  of_bytes: number
  of_tokens?: number
  older?: string
  tokens?: number
}

export interface InspectTimeline {
  children: string[]
  class: string
  cycle: number
  events: InspectEvent[]
  expiry: number | null
  first_snapshot: number | null
  id: string
  key?: string
  kind?: string
  last_snapshot: number | null
  nodeType: string
  parent_id?: string
  range: DiffRange | null
  referred_by: string[]
  refs: string[]
  role?: string
  state: string
  turn?: string
}

export interface InspectWeight {
  blocks: number
  bytes: number
  nodes: number
  tokens?: number
  turns: number
}

export interface LifecycleKept {
  by?: string
  id: string
  kept: string
  reason: string
}

export interface LifecycleOrphan {
  id: string
  what: string
}

export interface LifecycleOver {
  has: number
  limit: string
  most: number
}

export interface LifecyclePart {
  kind?: string
  max_bytes?: number
  max_nodes?: number
  max_tokens?: number
  max_turns?: number
  region?: string
  tag?: string
}

export interface LifecyclePolicy {
  every?: number
  max_bytes?: number
  max_nodes?: number
  max_tokens?: number
  max_turns?: number
  min_bytes?: number
  min_tokens?: number
  orphans?: string
  parts?: LifecyclePart[] | null
  protect_task?: boolean
  protect_turns?: number
  ranks?: Record<string, number>
  rules?: LifecycleRule[] | null
  strict?: boolean
  stub?: string
  tokenizer?: string
  when?: string
  whole_pairs?: boolean
}

export interface LifecyclePostponed {
  until?: number
  would_free: LifecycleSavings
}

export interface LifecycleRemoval {
  id: string
  number?: number
  reason: string
  rule?: string
}

export interface LifecycleReport {
  budget?: string
  freed?: LifecycleSavings
  held?: LifecycleKept[] | null
  orphans?: LifecycleOrphan[] | null
  over?: LifecycleOver[] | null
  policy?: LifecyclePolicy
  removed?: LifecycleRemoval[] | null
  retained?: string[] | null
  ruled?: LifecycleRuled[] | null
  stubs?: LifecycleStub[] | null
  waiting?: LifecyclePostponed
}

export interface LifecycleRule {
  head?: number
  keep?: boolean
  once?: boolean
  pinned?: boolean
  priority?: number
  select: string
  stub?: boolean
  tail?: number
  ttl?: number
}

export interface LifecycleRuled {
  does: string
  id: string
  rule: number
}

export interface LifecycleSavings {
  bytes: number
  nodes: number
  tokens?: number
}

export interface LifecycleStub {
  for: string[] | null
  id: string
}

export interface LogPage {
  items: HistoryEntry[]
  /** Value of after for the next page; absent on the last page */
  next?: number
}

export interface MatchPage {
  /** Contexts that could not be searched, and why */
  failed?: Unsearched[] | null
  /** The contexts that have the text, or the one that was searched */
  items: Occurrences[]
  /** Value of after for the next page; absent on the last page */
  next?: string
}

export interface NewContext {
  /** Custom attributes of the root */
  attrs?: Record<string, unknown>
  /** Name of a context whose snapshots and edits the new one has too; it shares nothing with it, so that an erasure spares it */
  copy?: string
  /** 1.0, canonical, depth or v0.1; canonical by default. Of a copy 1.0, or by default that of the context */
  edition?: string
  /** Copy also if a rule that is kept does not mean the same in the other edition for sure */
  force?: boolean
  name: string
}

export interface NewNode {
  /** Custom attributes: data_*, content_* or a name with a colon */
  attrs?: Record<string, unknown>
  /** In edition 1.0: cycles after which a new node of its key comes */
  cad?: number
  /** Any JSON value */
  content?: unknown
  encoding?: string
  /** New to the whole history; generated if absent */
  id?: string
  key?: string
  kind?: string
  mime?: string
  /** A block if absent */
  nodeType?: string
  /** Below 0 before the core, 0 in it, above 0 after it */
  offset?: number
  /** Pruning leaves it alone */
  pinned?: boolean
  /** Pruning takes low priorities first */
  priority?: number
  provenance?: string
  /** Ids of nodes that it refers to */
  refs?: string[] | null
  /** A group that goes when it is empty */
  removable?: boolean
  role?: string
  tags?: string[] | null
  /** Cycles until it expires; never if absent */
  ttl?: number
}

export interface Occurrence {
  /** How many lines have the text */
  count: number
  /** The first call that had the text in this block */
  first: number
  id: string
  /** The last one */
  last: number
  /** The first of them, or the part of a long line around the text */
  line: string
  role?: string
  /** Its kind in lists and pictures */
  shown_kind?: string
  /** That no finished call has it: an answer that is not sent yet, a request without an answer, or an edit */
  state?: 'unsent' | 'unanswered' | 'working'
}

export interface Occurrences {
  context: string
  /** In the order in which they came */
  items: Occurrence[]
  /** How many there are, also if there are more than items */
  total: number
}

export interface Policies {
  /** The ready ones */
  items: ReadyPolicy[]
  /** The one that the commits of the context follow; absent if it keeps none */
  kept?: LifecyclePolicy
}

export interface Pruning {
  /** Blocks outside cores and whole turns to remove */
  ids?: string[] | null
  /** Limits of the snapshot, or the name of a ready policy; if absent, the policy that the context keeps */
  policy?: LifecyclePolicy | string
  /** Sealed turns, and blocks outside cores, that the conversation replaces */
  rewrite?: string[] | null
  /** Selectors without an address, whose nodes are removed */
  select?: string[] | null
}

export interface PublishedDetails {
  /** Of CONFLICTING_UPDATE: what the request builds on */
  expected_snapshot?: string
  /** What is wrong: the selector */
  field?: string
  /** Of CONFLICTING_UPDATE: what is there */
  found_snapshot?: string
  /** Line of the document, from 1 */
  line?: number
  /** What others wrote that the request did not know, oldest first */
  meanwhile?: Written[] | null
  /** The id of the node concerned */
  node?: string
  /** Of PARENT_ID_MISSING: the id that was asked for */
  node_temp_id?: string
  /** The same from 0; of DUPLICATE_CONTAINER the offset among siblings */
  offset?: number
  /** Of DUPLICATE_CONTAINER: the node that has a core */
  parent_id?: string
  /** Byte of the selector or the document, from 1 */
  pos?: number
  /** The code that says it exactly: one of docs/errors.md, or one of HTTP in docs/server.md */
  reason: string
  /** What to do about it */
  remedy?: string
  /** The part of the input that is wrong */
  token?: string
}

export interface PublishedError {
  /** INVALID_SELECTOR, INVALID_PLACEMENT, DUPLICATE_CONTAINER, NOT_AUTHORIZED, PARENT_ID_MISSING, CONFLICTING_UPDATE, INTERNAL_ERROR, or else the reason */
  code: string
  details: PublishedDetails
  /** What is wrong */
  message: string
}

export interface PublishedFailure {
  error: PublishedError
}

export interface ReadyPolicy {
  name: string
  /** It has no limits: add some */
  policy: LifecyclePolicy
}

export interface RecordErased {
  attempts?: number
  contexts?: string[] | null
  digests?: number
  entries?: number
  ids?: string[] | null
  originals?: HistoryErased[] | null
  receipt?: string
  remains?: string
  salt_sha256?: string
  versions?: number
}

export interface RecordPrice {
  cache_read: number
  cache_write: number
  cache_write_1h: number
  input: number
  model: string
  output: number
  source?: string
  terms?: string
  up_to?: number
  window?: number
}

export interface RecordPrices {
  as_of: string
  currency: string
  models: RecordPrice[] | null
}

export interface Renaming {
  /** The new name */
  name: string
}

export interface SignIn {
  /** The token of the printed address */
  token: string
}

export interface SimulateCall {
  broke?: boolean
  cost?: number
  cycle: number
  read: number
  /** Blocks behind the break */
  reasoning?: number
  /** Blocks that went at this call */
  removed?: number
  sent: number
  written: number
}

export interface SimulateFinding {
  /** Of these; absent if the model has no price; of a compaction, of what was asked for again */
  cost?: number
  cycle?: number
  /** Counted if the provider counted the tokens; seen of what the record says; else computed by a tokenizer and the provider's rules */
  evidence: 'counted' | 'seen' | 'computed'
  /** A rule with which the whole run would have cost less, by simulation, and which takes nothing that is quoted later; of a kind the first finding alone has it */
  helps?: LifecycleRule
  node?: string
  /** What the rule would have saved the whole run */
  saves?: number
  /** In a sentence */
  says: string
  /** That were sent again, or for nothing; of a compaction, that were lost; of a window, that are left; absent if nobody counted them */
  tokens?: number
  what: 'prefix' | 'repeated' | 'carried' | 'unused' | 'compaction' | 'window' | 'policy' | 'uncached'
}

export interface SimulateOutcome {
  /** Calls that asked again for what the policy had taken */
  again?: number
  /** Calls that do not repeat all of the request before */
  breaks: number
  /** Absent unless calls were asked for */
  by_call?: SimulateCall[] | null
  /** Of what was sent, without answers; absent if the model has no price */
  cost?: number
  /** Why managing ended for the run */
  ended?: string
  /** After how many more calls like the last one a policy that costs more would not; absent if it costs no more, or never would */
  further_calls?: number
  /** Calls above max_tokens: when decides, and not the limit, when something goes */
  over?: number
  /** Its name; none for the run as it was */
  policy: string
  /** Of these, from the cache */
  read: number
  /** Blocks of reasoning behind a break, which some models drop or refuse */
  reasoning: number
  regrets?: SimulateRegret[] | null
  /** Blocks that the policy took, each once */
  removed: number
  /** Tokens of all requests */
  sent: number
  /** Blocks that were shortened before they were first sent */
  shaped: number
  /** Of these, to the cache */
  written: number
}

export interface SimulateRegret {
  /** Whose context lacked it */
  cycle: number
  /** The block that needed it */
  node: string
  /** The removed or shortened block */
  of: string
  /** That block is there, and shorter */
  shortened?: boolean
  /** The line that was quoted */
  text?: string
  /** Of a call that was made again with the same arguments */
  tool?: string
}

export interface SimulateReport {
  /** The date of the prices */
  as_of?: string
  calls: number
  /** That counted the tokens of blocks */
  counter: string
  currency?: string
  /** Whose rules of caching count */
  dialect: string
  findings: SimulateFinding[]
  /** Whose prices count; absent if no call names one */
  model?: string
  run: string
  /** To what the provider counted */
  scaled: boolean
  /** What the run itself sent and cost */
  spent: SimulateSpent
  /** Why no rule was tried that may have helped; absent if the rules were tried or there was none */
  untried?: string
  /** How many tokens a request to the model may have; absent if no list says */
  window?: number
}

export interface SimulateResult {
  /** The date of the prices */
  as_of?: string
  calls: number
  /** That counted the tokens of blocks */
  counter: string
  currency?: string
  /** Whose rules of caching count */
  dialect: string
  /** Whose prices count; absent if no call names one */
  model?: string
  /** The run as it was, then one for each policy; that alone if the rules of caching miss by more than 2 % what the provider counted of it; none for a policy that other estimates of tokens would have decide otherwise, by more than 2 % */
  outcomes: SimulateOutcome[]
  run: string
  /** To what the provider counted */
  scaled: boolean
  /** What this says, and what it does not */
  sentences: string[]
  /** How many tokens a request to the model may have; absent if no list says */
  window?: number
}

export interface SimulateSpent {
  /** Calls at which the cache broke */
  breaks?: number
  /** Of the calls with a price; absent if none has one; of computed ones without answers */
  cost?: number
  /** Calls whose tokens the provider counted */
  counted: number
  evidence: 'counted' | 'computed'
  /** Of the cost, what breaks of the cache cost */
  lost?: number
  /** Tokens of the answers; 0 unless counted */
  out: number
  /** Calls with a price */
  priced: number
  /** Of these, from the cache */
  read: number
  sent: number
  /** Of these, calls of which it also said how many tokens came from its cache */
  told: number
  /** Of these, to the cache */
  written: number
}

export interface SimulatedPolicy {
  /** Of a ready policy, or what the answer calls the policy */
  name: string
  /** Absent for the ready policy of that name */
  policy?: LifecyclePolicy
}

export interface Simulating {
  /** Also say it of every call */
  calls?: boolean
  /** Whose rules of caching count; by default those of the API that was called */
  dialect?: string
  /** Whose prices and caching count; that of the last call by default */
  model?: string
  /** At most 8; without any the answer says what the run itself sent and cost */
  policies?: SimulatedPolicy[] | null
  /** Prices in place of the built-in ones */
  prices?: RecordPrices
  /** How tokens are counted */
  tokenizer?: string
  /** When what is due goes; by default as each policy says */
  when?: 'now' | 'pays' | 'cold'
}

export interface Summed {
  /** How many of them broke, as list-calls says */
  broke: number
  calls: number
  /** By the counts of the provider and the built-in prices */
  cost: number
  currency: string
  /** Of how many the cost is known: if not of all, cost is the least that they cost */
  priced: number
}

export interface Undoing {
  /** Who does it, for the log */
  actor?: string
  /** Why, for the log */
  message?: string
}

export interface Undone {
  /** The context, which is a fork of the snapshot before now */
  context: ContextInfo
  /** Name under which the line with the undone commit lives on */
  undone: string
}

export interface Unsearched {
  context: string
  error: string
}

export interface ViewAttempts {
  /** Of the tokens in, those read from the provider's cache */
  cached?: number
  /** What they cost by the built-in prices, in their currency; absent for a model without one, and if the provider did not count what it read from its cache */
  cost?: number
  failed: number
  /** Tokens of the last one that the provider counted */
  in?: number
  /** Of the last one */
  model?: string
  n: number
  /** Tokens that the last one wrote */
  out?: number
  /** How many tokens a request to the model may have; absent if no list says */
  window?: number
}

export interface ViewAttribute {
  name: string
  values?: string[] | null
}

export interface ViewBlock {
  /** Who did */
  by?: string
  /** Of its object in the canonical thread */
  bytes: number
  /** Of a result: the node of its call */
  call?: string
  /** How many calls up to this state carried it */
  calls: number
  /** The cycle that brought it */
  cycle: number
  erased?: boolean
  /** The log marks the call as failed */
  failed?: boolean
  /** The first words of its content */
  first: string
  id: string
  /** It is not in the same place in the other state */
  new: boolean
  /** If it is not that of every block */
  nodeType?: string
  /** How many blocks stand before it */
  place: number
  /** Of a call: the node of its first result */
  result?: string
  /** Its kind in lists and pictures */
  shown_kind: string
  /** The role with which the thread shows it */
  shown_role?: string
  /** Offset of its object in the canonical thread */
  start: number
  /** It stands for pruned nodes */
  stub?: boolean
  /** Of its content, if they were asked for */
  tokens?: number
  /** The tool that the block defines, calls or answers for */
  tool?: string
}

export interface ViewBlockPage {
  /** Where the thread stops repeating that of the other state */
  cut?: ViewThreadCut
  items: ViewBlock[]
  /** Value of after for the next page; absent on the last page */
  next?: number
  /** Of the whole thread, in the order of the legend */
  sums: ViewKindSum[]
  /** How many blocks there are in all pages */
  total: number
}

export interface ViewCacheBreak {
  /** Tokens that were sent again; absent if the provider did not count them */
  again?: number
  /** How the cause is known */
  cause_evidence: 'counted' | 'seen' | 'computed' | 'unknown'
  /** Of these, above what reading them would have cost; absent without a price */
  cost?: number
  evidence: 'counted' | 'computed' | 'seen'
  /** The first block that differs, if that is the cause */
  node?: string
  /** The cause, as a clause */
  why: string
}

export interface ViewCall {
  /** Who committed it */
  actor?: string
  /** When the cycle was committed, as created_at_iso */
  at?: string
  /** Absent if no attempt was recorded */
  attempts?: ViewAttempts
  blocks: number
  /** Absent if the provider read what the call before had left or, where it counted nothing, the request repeats the one before */
  broke?: ViewCacheBreak
  /** Of the canonical thread */
  bytes: number
  /** Absent if the call repeats all of the call before it */
  cut?: ViewCallCut
  cycle: number
  /** Of the commit */
  message?: string
  /** Says what the call repeats and why it repeats no more */
  sentence: string
  /** How much of the size is a prefix of the call before it */
  shared: number
  /** Of the thread in the unit that was asked for */
  size: number
  /** Of all contents, absent unless tokens were asked for */
  tokens?: number
}

export interface ViewCallCut {
  /** Height in the unit */
  at: number
  /** What ended the prefix, as a clause */
  cause: string
  /** Kind of the node */
  kind?: string
  /** Bytes behind it, which were sent anew */
  lost: number
  /** The first node that differs */
  node?: string
}

export interface ViewColumn {
  /** The bands above these */
  bands: (unknown[] | null)[]
  /** The provider's counts show that it read less than the calls before had left */
  broke?: boolean
  /** Height up to which the provider says that it read its cache */
  cached: number | null
  /** Height of the deepest cut; null if there was none */
  cut: number | null
  /** The last call of the column */
  cycle: number
  /** The column is the working state, which no commit has published */
  draft?: boolean
  /** How many bands of the column before stand first, unchanged */
  keep: number
  /** Up to this height the calls repeat what stood there before */
  shared: number
  size: number
}

export interface ViewKindSum {
  blocks: number
  bytes: number
  kind: string
  tokens?: number
}

export interface ViewNames {
  attributes: ViewAttribute[]
  keys: string[]
  kinds: string[]
  roles: string[]
  tags: string[]
  tools: string[]
  types: string[]
}

export interface ViewNode {
  /** Custom attributes */
  attrs?: Record<string, unknown>
  /** Who brought it */
  by?: string
  /** Of what is at and below it in the canonical thread */
  bytes: number
  /** In edition 1.0: cycles after which a new node of its key comes */
  cad?: number
  /** The cycles whose snapshots have it */
  carried: ViewSpan[]
  /** ^root, ^sys, ^seq, ^ah, turn, container or block */
  class: string
  /** False if text has only the beginning; …/content has all */
  complete: boolean
  /** Of the content in canonical JSON */
  content_bytes: number
  /** Which of the two it is */
  content_form?: 'text' | 'json'
  content_hash?: string
  /** Absent if the time is unknown: the clock counted from 0 */
  created_at_iso?: string
  creation_index: number
  /** The cycle that brought it */
  cycle: number
  encoding?: string
  /** Offset of the first byte behind it */
  end: number
  /** An erasure removed its content */
  erased?: boolean
  failed?: boolean
  id: string
  key?: string
  kind?: string
  /** With which message */
  message?: string
  mime?: string
  nodeType: string
  offset: number
  parent_id?: string
  pinned?: boolean
  /** How many blocks of the thread stand before it */
  place: number
  priority: number
  provenance?: string
  referred_by: string[]
  /** Ids of nodes that it refers to */
  refs: string[]
  region?: string
  removable?: boolean
  role?: string
  /** Of a block: its kind in lists and pictures */
  shown_kind?: string
  /** Of a block: the role with which the thread shows it */
  shown_role?: string
  /** Of a stub: the nodes that it replaces */
  stands_for?: string[]
  /** Offset in the canonical thread */
  start: number
  tags?: string[] | null
  /** The content: a text as it is, any other as canonical JSON; absent if there is none */
  text?: string
  tokens?: number
  tool?: string
  /** Cycles left; null if it never expires */
  ttl: number | null
  /** The turn that it is or is in */
  turn?: string
}

export interface ViewPicture {
  /** Who brought blocks; the empty name stands for an unknown actor */
  actors: string[]
  columns: ViewColumn[]
  /** First cycle */
  from: number
  kinds: string[]
  /** Height of the highest column */
  max: number
  /** Rows of the highest column; fewer than asked for if the answer would be too long */
  rows: number
  /** How many calls a column stands for; its bands are those of the last of them */
  step: number
  /** Last cycle that was committed */
  to: number
  unit: 'bytes' | 'tokens'
}

export interface ViewSpan {
  from: number
  to: number
}

export interface ViewThreadCut {
  /** What happened to it, if the other state is the call before */
  cause?: string
  /** Of the blocks before it, in the unit */
  height: number
  /** The first block that differs */
  node?: string
  /** Offset in the canonical thread */
  start: number
}

export interface ViewTreePage {
  items: ViewTreeRow[]
  /** Value of after for the next page; absent on the last page */
  next?: number
  /** How many nodes there are in all pages */
  total: number
}

export interface ViewTreeRow {
  /** At and below the node */
  blocks: number
  /** Of these blocks in the canonical thread */
  bytes: number
  children: number
  /** ^root, ^sys, ^seq, ^ah, turn, container or block */
  class: string
  /** The cycle that brought it */
  cycle: number
  /** 0 for the node that the list begins with */
  depth: number
  /** The first words of its content */
  first?: string
  id: string
  key?: string
  kind?: string
  nodeType: string
  offset: number
  /** ^sys, ^seq or ^ah */
  region?: string
  role?: string
  /** Of these blocks, if they were asked for */
  tokens?: number
  /** Cycles left; absent for a node that never expires */
  ttl?: number
}

export interface Written {
  actor?: string
  cycle: number
  kind: string
  message?: string
  revision: number
}

/** Every operation: its parameters, the body of its request, and its answer. */
export interface Operations {
  /** List the contexts by name */
  'list-contexts': {
    args?: {
      /** Only contexts whose name comes after this one, in the order of bytes */
      after?: string
      limit?: number
      /** Also say sizes, forks, cuts */
      details?: boolean
      /** Only this context with its forks, its sub-agents and those that it comes from, and theirs, all of them, with forked_from and begun_by */
      family?: string
      /** Also list what stands aside of a conversation, such as chat/summary-1 and chat/originals; otherwise aside counts it */
      all?: boolean
    }
    body?: undefined
    answer: ContextPage
  }
  /** Make a context: an empty one, or a copy of another */
  'create-context': {
    args?: Record<string, never>
    body: NewContext
    answer: ContextInfo
  }
  /** Delete a context with all its snapshots; this cannot be undone */
  'delete-context': {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
    }
    body?: undefined
    answer: undefined
  }
  /** Say what a context has */
  'get-context': {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
      /** Also say the cycle and the digest of the state at this address */
      at?: string
      /** Also sum up the calls from this cycle on */
      since?: number
    }
    body?: undefined
    answer: ContextInfo
  }
  /** Rename a context */
  'rename-context': {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
    }
    body: Renaming
    answer: ContextInfo
  }
  /** List the calls of a provider */
  'list-attempts': {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
      /** First cycle */
      from?: number
      /** Last cycle, 0 for the current one */
      to?: number
      /** How many rows were listed before */
      after?: number
      limit?: number
    }
    body?: undefined
    answer: Attempts
  }
  /** List the blocks of a thread with what is known of them */
  'list-blocks': {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
      /** Address of the state: @t0, @t-1, @c12, latest or working */
      at?: string
      /** Address of the state to compare with, also of another context: NAME@c5; the snapshot before by default */
      vs?: string
      /** How many rows were listed before */
      after?: number
      limit?: number
      /** Only blocks of these shown_kinds, with commas between them */
      kind?: string
      /** bytes lists the largest first, carried what took most bytes in all calls so far */
      order?: 'place' | 'bytes' | 'carried'
      /** Only blocks that the other state has not in the same place */
      new?: boolean
      /** Only calls that failed, and their results */
      failed?: boolean
      /** Selector without an address: only blocks that it finds */
      q?: string
      /** Edition of the selector; that of the context by default */
      edition?: string
      /** tokens also counts tokens */
      unit?: 'bytes' | 'tokens'
    }
    body?: undefined
    answer: ViewBlockPage
  }
  /** Say of each call how large it was, what it repeats of the call before, and why no more */
  'list-calls': {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
      /** Address of the first snapshot; the oldest by default */
      from?: string
      /** Address of the last snapshot */
      to?: string
      /** What sizes count */
      unit?: 'bytes' | 'tokens'
      /** How many rows were listed before */
      after?: number
      limit?: number
    }
    body?: undefined
    answer: CallList
  }
  /** End the cycle, with edits and pruning if wanted */
  commit: {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
    }
    body: Committing
    answer: Committed
  }
  /** Compare two states: what came, went and changed, why, and where it is in the threads */
  diff: {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
      /** Address of the older state, also of another context: NAME@c5 */
      from?: string
      /** Address of the newer state */
      to?: string
      /** Selector without an address: only what it finds on each side is compared */
      select?: string
      /** Edition of the selector; that of the context by default */
      edition?: string
      /** How contents are shown */
      content_mode?: 'unified' | 'jsonpatch' | 'tokens'
      /** Lines of context of a unified diff */
      context_lines?: number
    }
    body?: undefined
    answer: DiffReport
  }
  /** Change the working state with a batch of edits, all or none */
  edit: {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
    }
    body: Editing
    answer: Edited
  }
  /** Remove nodes for good from a context and all that share history with it, with the originals of shaped results; the receipt is given once */
  erase: {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
    }
    body: Erasing
    answer: RecordErased
  }
  /** Export the whole history, which import reads, or a snapshot of it */
  export: {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
      /** compact has each version of a node once, and the attempts; document is that of one snapshot; page is one HTML page that a browser opens from a disk */
      form?: 'compact' | 'snapshots' | 'document' | 'page'
      /** Of document, the address of the state: @t0, @t-1, @c12, latest or working */
      at?: string
    }
    body?: undefined
    answer: unknown
  }
  /** Say what a run paid for and may not have needed */
  'list-findings': {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
      /** Whose prices and caching count; that of the last call by default */
      model?: string
      /** Whose rules of caching count; by default those of the API that was called */
      dialect?: string
      /** How tokens are counted */
      tokenizer?: string
    }
    body?: undefined
    answer: SimulateReport
  }
  /** Make a context that begins as a snapshot of this one */
  'fork-context': {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
    }
    body: Forking
    answer: ContextInfo
  }
  /** List the log, oldest entry first */
  log: {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
      /** Only entries with a later revision */
      after?: number
      limit?: number
    }
    body?: undefined
    answer: LogPage
  }
  /** List the types, attributes, roles, keys, tags and tools that occur, to complete a selector */
  'list-names': {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
      /** Address of the state: @t0, @t-1, @c12, latest or working */
      at?: string
    }
    body?: undefined
    answer: ViewNames
  }
  /** Describe a node: headers, content, place in the thread, references, who brought it, who carried it */
  'get-node': {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
      /** Id of the node; a / in it is written %2F */
      id: string
      /** Address of the state: @t0, @t-1, @c12, latest or working */
      at?: string
      /** tokens also counts tokens */
      unit?: 'bytes' | 'tokens'
    }
    body?: undefined
    answer: ViewNode
  }
  /** Return the content of a node, a text as it is; the ETag is its SHA-256, and Range takes a part */
  'get-content': {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
      /** Id of the node; a / in it is written %2F */
      id: string
      /** Address of the state: @t0, @t-1, @c12, latest or working */
      at?: string
      /** tokens also counts tokens */
      unit?: 'bytes' | 'tokens'
    }
    body?: undefined
    answer: string
  }
  /** Tell everything that happened to a node, even if it is gone */
  life: {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
      /** Id of the node; a / in it is written %2F */
      id: string
    }
    body?: undefined
    answer: InspectTimeline
  }
  /** Say what a commit with this pruning would remove and cost; nothing changes */
  'plan-pruning': {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
      /** Plan the first commit of a fork of this snapshot; by default the next commit of the context */
      at?: string
      /** tokens also counts tokens */
      unit?: 'bytes' | 'tokens'
    }
    body: Pruning
    answer: InspectPrunePlan
  }
  /** Find nodes with a selector; of a range of snapshots say how they changed */
  select: {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
      /** The selector */
      q: string
      /** Edition of the selector; that of the context by default */
      edition?: string
      /** Find nothing: only write q in its normal form, or say what is wrong with it while a user writes it */
      normal?: boolean
      /** Find nothing: only say how the selector is evaluated and what that costs */
      explain?: boolean
      /** A second selector: only nodes that it finds too, and nodes below these */
      where?: string
      /** Leaves out this many nodes at the beginning */
      skip?: number
      /** At most this many nodes, 0 for all */
      limit?: number
      /** Of a range only this many of the newest snapshots; 0 for all */
      max_snapshots?: number
      /** Of a range only this many changes of each step; -1 for all */
      max_changes?: number
      /** Of a range also show how contents changed */
      content_mode?: 'unified' | 'jsonpatch' | 'tokens'
      /** Of a range show the values of these headers: content, mime, encoding, content_hash */
      materialize?: string[] | null
    }
    body?: undefined
    answer: Found
  }
  /** Say what a run would have sent and cost under policies; nothing changes */
  simulate: {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
    }
    body: Simulating
    answer: SimulateResult
  }
  /** Draw a column for each call and a band for each block, in at most 200 kB */
  strata: {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
      /** Address of the first snapshot; the oldest by default */
      from?: string
      /** Address of the last snapshot */
      to?: string
      /** What the height of a band counts */
      unit?: 'bytes' | 'tokens'
      /** At most that many columns */
      columns?: number
      /** Bands lower than one of so many rows are merged */
      rows?: number
      /** Also draw the working state behind the latest call, if edits changed it */
      draft?: boolean
    }
    body?: undefined
    answer: ViewPicture
  }
  /** Return what a model is sent; the ETag is its SHA-256, and Range takes a part */
  'get-thread': {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
      /** Address of the state: @t0, @t-1, @c12, latest or working */
      at?: string
      /** The form */
      as?: 'canonical' | 'openai' | 'responses' | 'anthropic' | 'gemini' | 'text' | 'markdown' | 'verbatim'
      /** Of the form of an API, the whole request with model and parameters */
      whole?: boolean
      /** Of verbatim, the number of the attempt in its cycle; 0 for the last */
      attempt?: number
    }
    body?: undefined
    answer: unknown
  }
  /** List the nodes of a tree in document order */
  'list-tree': {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
      /** Address of the state: @t0, @t-1, @c12, latest or working */
      at?: string
      /** Id of the node to begin with; the root by default */
      under?: string
      /** How many rows were listed before */
      after?: number
      limit?: number
      /** tokens also counts tokens */
      unit?: 'bytes' | 'tokens'
    }
    body?: undefined
    answer: ViewTreePage
  }
  /** Take the last commit back */
  'undo-commit': {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
    }
    body: Undoing
    answer: Undone
  }
  /** Check that nothing of a context was changed since; a line for each hundredth, then the result */
  verify: {
    args: {
      /** Name of the context; a / in it is written %2F */
      name: string
    }
    body?: undefined
    answer: string
  }
  /** Follow the log and the attempts of a context as server-sent events */
  events: {
    args?: {
      /** Name of the context; without one, every context that the token opens */
      context?: string
    }
    body?: undefined
    answer: string
  }
  /** Find the blocks of all calls whose content has a text, also those that are gone; in one context or all */
  grep: {
    args: {
      /** The text; upper and lower case are the same */
      q: string
      /** q is a regular expression as in Go (RE2), in which upper and lower case differ */
      regexp?: boolean
      /** Name of the one context to search; all by default */
      context?: string
      /** Of one context the address of the first snapshot; the oldest by default */
      from?: string
      /** Of one context the address of the last snapshot, or working */
      to?: string
      /** Only contexts whose name comes after this one, in the order of bytes */
      after?: string
      /** At most this many blocks of each context, 100 in a search of all; 0 for 1000 of one and 3 of each of all */
      limit?: number
    }
    body?: undefined
    answer: MatchPage
  }
  /** Make contexts of a snapshot document, a history or the log of another program */
  import: {
    args: {
      /** Name of the context; of several conversations the part before the / */
      name: string
      /** What the body is; found out from it by default */
      form?: 'document' | 'history' | 'log'
      /** Edition to read it in; that of the file by default */
      edition?: string
      /** Refuse a history that would have to be mended */
      strict?: boolean
      /** Count the cycles of a history with gaps anew */
      renumber?: boolean
      /** Ready policy under which the calls of a transcript are replayed, default with limits */
      policy?: string
      /** Of each call of a transcript; 0 for no limit, as for the others */
      max_tokens?: number
      /** Of the thread of each call of a transcript */
      max_bytes?: number
      /** Of each call of a transcript */
      max_nodes?: number
      /** Of each call of a transcript */
      max_turns?: number
    }
    body: Uint8Array | Blob | string
    answer: Imported
  }
  /** List the ready policies, for a pruning or for edits that keep one, and the policy of a context */
  'list-policies': {
    args?: {
      /** Name of a context: also say which policy its commits follow */
      context?: string
    }
    body?: undefined
    answer: Policies
  }
  /** Take the cookie away, as the page does to sign out */
  'delete-session': {
    args?: Record<string, never>
    body?: undefined
    answer: undefined
  }
  /** Exchange the token for a cookie, as the page of the printed address does */
  'create-session': {
    args?: Record<string, never>
    body: SignIn
    answer: undefined
  }
}

/** The method and the path of every operation, and the members of its answer, false if that may be other than JSON. */
export const routes = {
  'list-contexts': ['GET', '/v1/contexts', ['items']],
  'create-context': ['POST', '/v1/contexts', ['name', 'edition', 'first_cycle', 'last_cycle', 'cycles', 'revision']],
  'delete-context': ['DELETE', '/v1/contexts/{name}', false],
  'get-context': ['GET', '/v1/contexts/{name}', ['name', 'edition', 'first_cycle', 'last_cycle', 'cycles', 'revision']],
  'rename-context': ['PATCH', '/v1/contexts/{name}', ['name', 'edition', 'first_cycle', 'last_cycle', 'cycles', 'revision']],
  'list-attempts': ['GET', '/v1/contexts/{name}/attempts', ['items', 'forms']],
  'list-blocks': ['GET', '/v1/contexts/{name}/blocks', ['items', 'total', 'sums']],
  'list-calls': ['GET', '/v1/contexts/{name}/calls', ['unit', 'currency', 'as_of', 'items']],
  commit: ['POST', '/v1/contexts/{name}/commits', ['cycle', 'revision', 'digest', 'blocks', 'bytes']],
  diff: ['GET', '/v1/contexts/{name}/diff', ['from', 'to', 'components_added', 'components_removed', 'components_modified', 'children_added', 'children_removed', 'moves', 'replacements']],
  edit: ['POST', '/v1/contexts/{name}/edits', ['revision', 'digest']],
  erase: ['POST', '/v1/contexts/{name}/erase', []],
  export: ['GET', '/v1/contexts/{name}/export', false],
  'list-findings': ['GET', '/v1/contexts/{name}/findings', ['spent', 'findings', 'run', 'calls', 'dialect', 'counter', 'scaled']],
  'fork-context': ['POST', '/v1/contexts/{name}/fork', ['name', 'edition', 'first_cycle', 'last_cycle', 'cycles', 'revision']],
  log: ['GET', '/v1/contexts/{name}/log', ['items']],
  'list-names': ['GET', '/v1/contexts/{name}/names', ['types', 'attributes', 'roles', 'kinds', 'keys', 'tags', 'tools']],
  'get-node': ['GET', '/v1/contexts/{name}/nodes/{id}', ['id', 'nodeType', 'class', 'offset', 'priority', 'ttl', 'refs', 'cycle', 'creation_index', 'complete', 'content_bytes', 'bytes', 'start', 'end', 'place', 'referred_by', 'carried']],
  'get-content': ['GET', '/v1/contexts/{name}/nodes/{id}/content', false],
  life: ['GET', '/v1/contexts/{name}/nodes/{id}/life', ['id', 'nodeType', 'class', 'state', 'cycle', 'expiry', 'first_snapshot', 'last_snapshot', 'children', 'refs', 'referred_by', 'range', 'events']],
  'plan-pruning': ['POST', '/v1/contexts/{name}/plan', ['cycle', 'report', 'before', 'after']],
  select: ['GET', '/v1/contexts/{name}/select', ['ids']],
  simulate: ['POST', '/v1/contexts/{name}/simulation', ['outcomes', 'sentences', 'run', 'calls', 'dialect', 'counter', 'scaled']],
  strata: ['GET', '/v1/contexts/{name}/strata', ['unit', 'from', 'to', 'step', 'rows', 'max', 'kinds', 'actors', 'columns']],
  'get-thread': ['GET', '/v1/contexts/{name}/thread', false],
  'list-tree': ['GET', '/v1/contexts/{name}/tree', ['items', 'total']],
  'undo-commit': ['POST', '/v1/contexts/{name}/undo', ['context', 'undone']],
  verify: ['GET', '/v1/contexts/{name}/verify', false],
  events: ['GET', '/v1/events', false],
  grep: ['GET', '/v1/grep', ['items']],
  import: ['POST', '/v1/import', ['contexts']],
  'list-policies': ['GET', '/v1/policies', ['items']],
  'delete-session': ['DELETE', '/v1/session', false],
  'create-session': ['POST', '/v1/session', false],
} as const
