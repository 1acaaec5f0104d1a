// The answers about all calls of a context: the list of calls and the picture of them. The members
// have the names that they have on the wire; docs/server.md explains them.

export type Unit = 'bytes' | 'tokens'

/** Where and why a call stops repeating the one before. */
export interface Cut {
  at: number
  node?: string
  kind?: string
  cause?: string
  lost: number
}

export interface Call {
  cycle: number
  at: string
  actor?: string
  message?: string
  size: number
  bytes: number
  tokens?: number
  blocks: number
  shared: number
  cut?: Cut
  sentence: string
  attempts?: {
    n: number
    failed: number
    model?: string
    in?: number
    out?: number
    cached?: number
    /** What the rules of the provider let expect it to be. */
    expected?: number
    seen?: 'agrees' | 'unseen' | 'elsewhere'
  }
}

export interface CallList {
  unit: Unit
  /** How tokens were counted; one that begins with "approx:" did not count exactly. */
  tokenizer?: string
  items: Call[]
}

/** Height, index of the kind, number of blocks, id of the first block, the cycle that brought
 * it, index of the actor, size of the largest block. */
export type Band = [number, number, number, string, number, number, number]

export interface Column {
  cycle: number
  size: number
  shared: number
  /** Height of the deepest cut. */
  cut: number | null
  /** Height up to which the provider says that it read its cache. */
  cached: number | null
  seen?: 'agrees' | 'unseen' | 'elsewhere'
  /** The column is the working state, which no commit has published. */
  draft?: boolean
  /** The column is a call of another context, which the call that is shown is compared with. */
  guest?: string
  /** How many bands of the column before come first, unchanged; bands has the rest. */
  keep: number
  bands: Band[]
}

export interface Strata {
  unit: Unit
  from: number
  to: number
  /** How many calls a column stands for; its bands are those of the last of them. */
  step: number
  max: number
  kinds: string[]
  actors: string[]
  columns: Column[]
}
