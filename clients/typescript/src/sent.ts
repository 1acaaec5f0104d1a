import type { Context } from './context.js'
import { isPactError } from './failure.js'
import { adding, blocksOf, keyOf, nodeOf, toJSON, type Found, type Piece } from './piece.js'
import type { Edit, LifecyclePolicy, LifecycleReport, LogPage } from './schema.js'

/** An instruction or the definition of a tool: it keeps its id, and a change makes a new version. */
export interface Standing {
  id: string
  role?: string
  kind: string
  content: unknown
}

/** A block that the model is sent: the piece with this number, unchanged, or what a policy made of one. */
export interface Left {
  block: Found
  index?: number
}

/** A block that came or went, and what makes it the same as another. */
export interface Change {
  id: string
  key: string
}

/** An operation has the name of one that did something else. */
export class OtherOperation extends Error {}

/** What the log says of a change after which names of operations may be used anew. */
export const clearing = 'the session was cleared'

/** How many times a change is tried again because others wrote meanwhile. */
const tries = 4

/** Records what a framework sends with each call. Each call is a cycle: the context gets what is new and loses what
 * the framework left out, a commit follows the policy, and the model is sent what the snapshot has. */
export class Sent {
  readonly context: Context
  readonly #policy: LifecyclePolicy | string | undefined
  #limits: LifecyclePolicy | undefined
  #pruned = new Set<string>() // what policies took, from the beginning on
  #requests = new Map<string, string>() // the messages of the changes that have a name, by it
  #cleared = 0 // the revision that last began with nothing
  #read = 0 // the latest revision of the log that both know
  #taken = new Set<string>() // ids that the history has, of blocks that are gone
  #queue: Promise<unknown> = Promise.resolve()

  constructor(context: Context, policy?: LifecyclePolicy | string) {
    this.context = context
    this.#policy = policy
  }

  /** The blocks of the working state. */
  async blocks(at = 'working'): Promise<Found[]> {
    return blocksOf(await this.context.pact.call('export', { name: this.context.name, form: 'document', at }) as never)
  }

  /** Records a call. `left` is what the model is to be sent, `added` and `removed` say what became of the context
   * before the policy looked at it. */
  send(standing: Standing[], wanted: Piece[]): Promise<{ left: Left[]; added: Change[]; removed: Change[] }> {
    return this.#change(async (blocks, policy) => {
      await this.#readLog()
      const plan = planOf(blocks, wanted, this.#pruned, this.#taken)
      const edits = [...standingEdits(blocks, standing, this.#taken), ...plan.edits]
      const done = await this.context.commit({ edits, policy })
      for (const { id } of done.report?.removed ?? []) this.#pruned.add(id)
      const left = (await this.blocks('@c' + done.cycle)).map((block) => {
        const index = plan.places.get(block.id)
        return index !== undefined && keyOf(block) === keyOf(wanted[index]!) ? { block, index } : { block }
      })
      const gone = new Set(this.#gone(edits))
      const removed = blocks.filter((b) => gone.has(b.id)).map((b) => ({ id: b.id, key: keyOf(b) }))
      return { left, added: plan.added, removed }
    })
  }

  /** Adds pieces to the working state. Nothing is sent. */
  keep(pieces: Piece[]): Promise<void> {
    return this.#change(async (blocks) => {
      const { edits } = planOf([], pieces, new Set(), this.#taken, blocks)
      if (edits.length > 0) await this.context.edit(edits)
    })
  }

  /** Replaces the conversation of the working state. What goes on is also the same in all that is not sent. */
  replace(change: (blocks: Found[]) => Piece[]): Promise<void> {
    return this.#change(async (blocks) => {
      const { edits } = planOf(blocks, change(blocks), new Set(), this.#taken, blocks, true)
      if (edits.length > 0) await this.context.edit(edits)
      this.#gone(edits)
    })
  }

  /** Removes blocks and adds pieces once, however often it is asked: the log has the name of the operation, and
   * `message` tells it from another one of that name. It reports whether it did it now. */
  once(name: string, message: string,
    change: (blocks: Found[]) => { remove: Found[]; add: Piece[] }): Promise<boolean> {
    return this.#change(async (blocks) => {
      await this.#readLog()
      const idempotencyKey = `${name}@${this.#cleared}`
      const before = this.#requests.get(idempotencyKey)
      if (before !== undefined && before !== message) throw new OtherOperation()
      if (before !== undefined) return false
      const { remove, add } = change(blocks)
      const removing = remove.map((b): Edit => ({ op: 'remove', id: b.id }))
      const taken = new Set([...this.#taken, ...blocks.map((b) => b.id)])
      const plan = planOf([], add, new Set(), taken, blocks.filter((b) => !remove.includes(b)))
      const edits = [...removing, ...plan.edits]
      await this.context.edit(edits, { idempotencyKey, message })
      this.#gone(edits)
      return true
    })
  }

  /** Removes the blocks that are chosen from the working state. */
  remove(choose: (blocks: Found[]) => Found[], message = ''): Promise<Found[]> {
    return this.#change(async (blocks) => {
      const chosen = choose(blocks)
      const edits = chosen.map((b): Edit => ({ op: 'remove', id: b.id }))
      if (edits.length > 0) await this.context.edit(edits, { message })
      this.#gone(edits)
      return chosen
    })
  }

  /** Remembers the ids that edits removed, because no other node may have them. */
  #gone(edits: Edit[]): string[] {
    const ids = edits.flatMap((e) => e.op === 'remove' ? [e.id!] : [])
    for (const id of ids) this.#taken.add(id)
    return ids
  }

  /** One change after the other, each on what is there now. */
  #change<T>(f: (blocks: Found[], policy: LifecyclePolicy) => Promise<T>): Promise<T> {
    const run = async () => {
      for (let conflicts = 0; ;) {
        try {
          await this.context.refresh()
          return await f(await this.blocks(), await this.#limitsNow())
        } catch (problem) {
          if (isPactError(problem, 'E_NODE_DUPLICATE') && problem.node && !this.#taken.has(problem.node)) {
            this.#taken.add(problem.node)
          } else if (!isPactError(problem, 'E_CONFLICT') || ++conflicts === tries) throw problem
        }
      }
    }
    const mine = this.#queue.then(run)
    this.#queue = mine.catch(() => {})
    return mine
  }

  /** A framework may send a call without a result, so orphans are kept unless the policy says otherwise. */
  async #limitsNow(): Promise<LifecyclePolicy> {
    if (typeof this.#policy === 'string') this.#limits ??= await this.context.pact.policy(this.#policy)
    const given = typeof this.#policy === 'string' ? this.#limits : this.#policy
    const kept = given ?? (await this.context.pact.call('list-policies', { context: this.context.name })).kept
    return { orphans: 'keep', whole_pairs: true, ...kept }
  }

  async #readLog(): Promise<void> {
    for (let after: number | undefined = this.#read; after !== undefined;) {
      const page: LogPage = await this.context.pact.call('log', { name: this.context.name, after, limit: 1000 })
      for (const entry of page.items ?? []) {
        for (const { id } of (entry.report as LifecycleReport | undefined)?.removed ?? []) this.#pruned.add(id)
        if (entry.request) this.#requests.set(entry.request, entry.message ?? '')
        if (entry.message === clearing) this.#cleared = entry.revision
        this.#read = entry.revision
      }
      after = page.next
    }
  }
}

function standingEdits(blocks: Found[], standing: Standing[], taken: Set<string>): Edit[] {
  const there = new Map(blocks.filter((b) => b.standing).map((b) => [b.standing!, b]))
  const used = new Set([...blocks.map((b) => b.id), ...taken])
  const edits = standing.flatMap((s, i): Edit[] => {
    const old = there.get(s.id)
    const content = toJSON(s.content)
    there.delete(s.id)
    if (old && JSON.stringify(toJSON(old.content)) === JSON.stringify(content)) return []
    if (old) return [{ op: 'update', id: old.id, set: { content } }]
    let id = s.id
    for (let n = 1; used.has(id); n++) id = `${s.id}~${n}`
    return [adding('^sys', { id, kind: s.kind, offset: i + 1, content, attrs: { data_standing: s.id },
      ...(s.role && { role: s.role }) })]
  })
  return [...[...there.values()].map((b): Edit => ({ op: 'remove', id: b.id })), ...edits]
}

/** Compares the conversation with what is wanted. What is in both, in the same order, keeps its id. A piece that a
 * policy took before one that is there stays away. Blocks that no framework sent are left, and so are stubs while
 * something that they stand for is wanted. With `exact`, what goes on is also the same in all that is not sent. */
export function planOf(blocks: Found[], wanted: Piece[], pruned: Set<string>, taken: Set<string>, all = blocks,
  exact = false) {
  const old = blocks.filter((b) => !b.system)
  const byId = new Map(old.map((b, i) => [b.id, i]))
  const byKey = new Map<string, number[]>()
  old.forEach((b, i) => {
    const key = keyOf(b)
    const same = byKey.get(key)
    if (same) same.push(i)
    else byKey.set(key, [i])
  })
  const count = new Map<string, number>()
  let last = -1
  const places = wanted.map((p) => { // the number of the block that each piece has, and its id
    const key = keyOf(p)
    const n = count.get(key) ?? 0
    count.set(key, n + 1)
    const id = n === 0 ? key : `${key}-${n}`
    const fits = ({ attr }: Found) => !exact || !attr || JSON.stringify(attr.item) === JSON.stringify(toJSON(p.item))
    const same = byKey.get(key) ?? []
    while (same.length > 0 && same[0]! <= last) same.shift() // they are behind
    const named = byId.get(id)
    const at = named !== undefined && named > last && fits(old[named]!) ? named : same.find((i) => fits(old[i]!))
    if (at !== undefined) last = at
    return { key, id, at }
  })
  const firstKept = places.find((p) => p.at !== undefined)?.at
  const lastKept = places.findLastIndex((p) => p.at !== undefined)
  const away = (i: number) => i < lastKept && places[i]!.at === undefined && pruned.has(places[i]!.id)
  const kept = new Set(places.map((p) => p.at))
  const named = new Set(places.map((p) => p.id))
  const edits: Edit[] = old.filter((b, i) => !kept.has(i) && (b.attr || b.kind === 'stub') &&
    !b.pruned.some((id) => named.has(id))).map((b) => ({ op: 'remove', id: b.id }))

  const used = new Set([...all.map((b) => b.id), ...taken, ...pruned])
  const passed = new Set(old.filter((b, i) => kept.has(i) || b.attr)) // a result refers to a call before it
  const calls = new Map(all.filter((b) => b.kind === 'call' && b.call && !passed.has(b)).map((b) => [b.call!, b.id]))
  const ids = new Map<string, number>() // of each block the number of its piece
  const added: Change[] = []
  let next = all.reduce((most, b) => b.head ? Math.max(most, b.offset) : most, 0) + 1
  let before: Pick<Found, 'parent' | 'offset'> | undefined
  let between = false // a new block stands where the one before it stands
  wanted.forEach((piece, i) => {
    const { key, id, at } = places[i]!
    const there = at === undefined ? undefined : old[at]!
    const behind = there && between && before?.parent === there.parent && before.offset === there.offset
    const call = piece.kind === 'result' && piece.call && calls.get(piece.call)
    const refs = call ? [call] : []
    const refers = !there?.attr || piece.kind !== 'result' || there.refs.join() === refs.join()
    if (there && !behind && refers) {
      ids.set(there.id, i)
      if (piece.kind === 'call' && piece.call) calls.set(piece.call, there.id)
      before = there
      between = false
      return
    }
    if (away(i)) return
    if (there) edits.push({ op: 'remove', id: there.id }) // because of its stamp, or it refers to a call that went
    let fresh = id
    for (let n = 1; used.has(fresh); n++) fresh = `${key}~${n}`
    used.add(fresh)
    ids.set(fresh, i)
    added.push({ id: fresh, key })
    if (piece.kind === 'call' && piece.call) calls.set(piece.call, fresh)
    between = i <= lastKept
    const place = between ? before ?? inFront(old[firstKept!]!)
      : { parent: '^ah', offset: next++ }
    edits.push(adding(place.parent, nodeOf(piece, fresh, place.offset, refs)))
    before = place
  })
  return { edits, places: ids, added }
}

/** A place before a block; offset 0 is the core of a turn. */
function inFront(b: Found): Pick<Found, 'parent' | 'offset'> {
  return { parent: b.parent, offset: b.offset - 1 || -1 }
}
