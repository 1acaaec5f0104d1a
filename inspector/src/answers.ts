// The answers about differences, lives of nodes and selectors. docs/json.md explains their members.

import type { Refusal } from './api'

/** What made a node differ, in which cycle, and who did it, if the log knows. */
export interface Cause {
  kind: string
  cycle: number
  rule?: string
  inferred?: boolean
  revision?: number
  actor?: string
  message?: string
}

/** Bytes of a node in a canonical thread, the last one excluded. */
export interface Range {
  start: number
  end: number
}

export interface ContentDiff {
  mode: string
  summary: { bytesNewer: number; bytesOlder: number; identical: boolean }
  hunks?: { op: 'keep' | 'del' | 'ins'; text: string }[]
}

/** A node that only one side of a comparison has. */
export interface Component {
  id: string
  nodeType: string
  cause: Cause
  previous_range: Range | null
  new_range: Range | null
}

/** A node that both sides of a comparison have. */
export interface Modification extends Component {
  fields: { name: string; previous: unknown; new: unknown }[]
  parent_changed?: { previous_parent_id: string; new_parent_id: string }
  content_diff?: ContentDiff
}

export interface RichDiff {
  from: { label: string; cycle: number; blocks: number; bytes: number }
  to: { label: string; cycle: number; blocks: number; bytes: number }
  components_added: Component[]
  components_removed: Component[]
  components_modified: Modification[]
  moves: { previous_id: string; new_id: string; cause: Cause }[]
  replacements: { key: string; previous_id: string; new_id: string; content_diff?: ContentDiff; cause: Cause }[]
}

/** Everything that happened to a node. */
export interface Life {
  id: string
  nodeType: string
  class: string
  role?: string
  kind?: string
  key?: string
  state: 'draft' | 'there' | 'going' | 'gone'
  cycle: number
  expiry: number | null
  first_snapshot: number | null
  last_snapshot: number | null
  parent_id?: string
  turn?: string
  children: string[]
  refs: string[]
  referred_by: string[]
  range: Range | null
  events: LifeEvent[]
}

export interface LifeEvent {
  cycle: number
  until?: number
  what: string
  draft?: boolean
  region?: string
  parent_id?: string
  turn?: string
  node?: string
  fields?: { name: string; previous: unknown; new: unknown }[]
  reason?: string
  kept?: string
  cause?: Cause
}

/** Whether a text is a selector. */
export interface Checked {
  valid: boolean
  error?: Refusal
}

/** How a selector is evaluated and what that cost. */
export interface Explanation {
  selector: string
  edition: string
  groups: { text: string; steps: { text: string; reach: string; skips?: string[] }[] }[]
  order: string
  choice?: string
  window?: string[]
  snapshots: number
  nodes: number
  visited: number
  skipped: number
  returned: number
}

/** How selected nodes changed from snapshot to snapshot, newest first. */
export interface RangeDiff {
  query: string
  mode: string
  snapshots: { label: string; cycle: number }[]
  diffs: {
    from: { label: string; cycle: number }
    to: { label: string; cycle: number }
    added_ids: string[]
    removed_ids: string[]
    changed: { id: string; fields: string[] }[]
    stats: { added: number; removed: number; changed: number }
  }[]
  warnings?: string[]
  errors?: { code: string; message: string }[]
}
