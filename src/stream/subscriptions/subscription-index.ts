import assert from 'node:assert/strict'
import { type ComboFilter, type EventFilter, type FilteredEvent, matchesEvent } from './event-filter.js'

/** A filter in the index. Where it is found by a key, the condition of the key holds already. */
type Entry<Receiver> = {
  member: Member<Receiver>
  /** One bit for each type that it wants; 0: it is not armed, or removed. */
  typeBits: number
  /** What is to be checked besides; `undefined`: nothing. */
  rest: EventFilter | undefined
  checkedAt: number
}

/** A receiver, shared by all of its filters. */
type Member<Receiver> = { receiver: Receiver; entries: number; foundAt: number }

/** Most keys are those of one filter. */
type Posting<Receiver> = Entry<Receiver> | Set<Entry<Receiver>>

/** Filters that are the same and name no key: they are checked once for all. */
type BroadGroup<Receiver> = { filter: EventFilter; entries: Set<Entry<Receiver>> }

const TYPES_MAX = 31

/** Keys that are taken out at once; a filter with more leaves in pieces, between which the sockets are read. */
const REMOVED_MAX = 2_000

/** A filter on its way into the index. */
export type PreparedFilter = {
  /** Posts up to this many keys; `true`: all are. */
  post(keysMax: number): boolean
  /** From now on its receiver is found, if all keys are posted. */
  arm(): void
  remove(): void
}

type Posted<Receiver> = [postings: Map<string, Posting<Receiver>>, key: string]

/** What filters are posted by. */
type Dimension =
  | 'wallet'
  | 'token'
  | 'slug'
  | 'condition'
  | 'combo'
  | 'leg'
  | 'comboEvent'
  | 'game'
  | 'league'

/**
 * Finds the receivers of an event. A filter that names wallets, or tokens, is posted under each of
 * them, and checked only for events that have one: the cost of an event grows with the filters that
 * share a key with it, not with all there are. Filters that name no key are posted under their types,
 * once for all that are the same.
 */
export class SubscriptionIndex<Receiver extends object> {
  readonly #postings: Readonly<Record<Dimension, Map<string, Posting<Receiver>>>> = {
    wallet: new Map(),
    token: new Map(),
    slug: new Map(),
    condition: new Map(),
    combo: new Map(),
    leg: new Map(),
    comboEvent: new Map(),
    game: new Map(),
    league: new Map(),
  }
  readonly #groups = new Map<string, BroadGroup<Receiver>>()
  readonly #groupsByType = new Map<string, Set<BroadGroup<Receiver>>>()
  readonly #members = new Map<Receiver, Member<Receiver>>()
  readonly #typeBits = new Map<string, number>()
  /** Counts the events: entries and members with its number were checked or found for it already. */
  #round = 0
  #size = 0

  /** How many filters are armed. */
  get size(): number {
    return this.#size
  }

  /** Returns the function that removes it. */
  add(receiver: Receiver, filter: EventFilter): () => void {
    const prepared = this.prepare(receiver, filter)
    prepared.post(Number.POSITIVE_INFINITY)
    prepared.arm()
    return prepared.remove
  }

  /** A filter that is posted in pieces, because a long one takes a while, and has no effect before it is armed. */
  prepare(receiver: Receiver, filter: EventFilter): PreparedFilter {
    const anchor = anchorOf(filter)
    const entry: Entry<Receiver> = {
      member: { receiver, entries: 0, foundAt: 0 },
      typeBits: 0,
      rest: anchor !== undefined && hasConditions(anchor.rest) ? anchor.rest : undefined,
      checkedAt: 0,
    }
    const left = anchor === undefined ? undefined : this.#keysOf(anchor)
    let isRemoved = false
    return {
      post: (keysMax) =>
        isRemoved || left === undefined || takeKeys(left, keysMax, (keys, key) => post(keys, key, entry)),
      arm: () => {
        if (isRemoved) return
        this.#arm(entry, filter)
        if (anchor === undefined) this.#addBroad(filter, entry)
      },
      remove: () => {
        if (isRemoved) return
        isRemoved = true
        this.#disarm(entry)
        if (anchor === undefined) this.#removeBroad(filter, entry)
        else this.#unpost(this.#keysOf(anchor), entry)
      },
    }
  }

  #arm(entry: Entry<Receiver>, { types }: EventFilter): void {
    const { receiver } = entry.member
    entry.member = this.#members.get(receiver) ?? entry.member
    this.#members.set(receiver, entry.member)
    entry.member.entries++
    entry.typeBits = this.#bitsOf(types)
    this.#size++
  }

  /** Wherever it is still posted, it matches nothing. */
  #disarm(entry: Entry<Receiver>): void {
    if (entry.typeBits === 0) return
    entry.typeBits = 0
    this.#size--
    entry.member.entries--
    if (entry.member.entries === 0) this.#members.delete(entry.member.receiver)
  }

  #unpost(keys: Iterator<Posted<Receiver>>, entry: Entry<Receiver>): void {
    const isDone = takeKeys(keys, REMOVED_MAX, (postings, key) => unpost(postings, key, entry))
    if (!isDone) setImmediate(() => this.#unpost(keys, entry))
  }

  /** Each receiver once, in no order. */
  match(event: FilteredEvent): Receiver[] {
    const found: Receiver[] = []
    if (this.#size === 0) return found
    this.#round++
    for (const group of this.#groupsByType.get(event.type) ?? []) {
      if (matchesEvent(group.filter, event)) for (const { member } of group.entries) this.#find(member, found)
    }
    const typeBit = this.#typeBits.get(event.type)
    if (typeBit !== undefined) this.#matchKeys(event, typeBit, found)
    return found
  }

  #matchKeys(event: FilteredEvent, typeBit: number, found: Receiver[]): void {
    const { keys } = event
    const check = (dimension: Dimension, key: string) => {
      const posting = this.#postings[dimension].get(key)
      if (posting === undefined) return
      if (posting instanceof Set) for (const entry of posting) this.#checkEntry(entry, event, typeBit, found)
      else this.#checkEntry(posting, event, typeBit, found)
    }
    for (const wallet of keys.wallets) check('wallet', wallet)
    for (const token of keys.tokens) check('token', token)
    for (const condition of keys.conditionIds) check('condition', condition)
    if (keys.marketSlug !== undefined) check('slug', keys.marketSlug)
    if (keys.eventSlug !== undefined) check('slug', keys.eventSlug)
    if (keys.gameSlug !== undefined) check('game', keys.gameSlug)
    if (keys.league !== undefined) check('league', keys.league)
    const { combo } = keys
    if (combo === undefined) return
    if (combo.conditionId !== undefined) check('combo', combo.conditionId)
    for (const leg of combo.legPositionIds) check('leg', leg)
    for (const id of combo.eventIds) check('comboEvent', id)
  }

  #checkEntry(entry: Entry<Receiver>, event: FilteredEvent, typeBit: number, found: Receiver[]): void {
    if ((entry.typeBits & typeBit) === 0 || entry.checkedAt === this.#round) return
    entry.checkedAt = this.#round
    const { member, rest } = entry
    if (member.foundAt === this.#round) return
    if (rest === undefined || matchesEvent(rest, event)) this.#find(member, found)
  }

  #find(member: Member<Receiver>, found: Receiver[]): void {
    if (member.foundAt === this.#round) return
    member.foundAt = this.#round
    found.push(member.receiver)
  }

  #addBroad(filter: EventFilter, entry: Entry<Receiver>): void {
    const key = broadKey(filter)
    const group = this.#groups.get(key) ?? { filter, entries: new Set() }
    group.entries.add(entry)
    if (group.entries.size > 1) return
    this.#groups.set(key, group)
    for (const type of filter.types) {
      const groups = this.#groupsByType.get(type) ?? new Set()
      this.#groupsByType.set(type, groups.add(group))
    }
  }

  #removeBroad(filter: EventFilter, entry: Entry<Receiver>): void {
    const key = broadKey(filter)
    const group = this.#groups.get(key)
    group?.entries.delete(entry)
    if (group === undefined || group.entries.size > 0) return
    this.#groups.delete(key)
    for (const type of filter.types) {
      const groups = this.#groupsByType.get(type)
      groups?.delete(group)
      if (groups?.size === 0) this.#groupsByType.delete(type)
    }
  }

  *#keysOf({ keys }: Anchor): Generator<Posted<Receiver>> {
    for (const [dimension, postings] of Object.entries(this.#postings)) {
      for (const key of keys[dimension as Dimension] ?? []) yield [postings, key]
    }
  }

  #bitsOf(types: Iterable<string>): number {
    let bits = 0
    for (const type of types) {
      const bit = this.#typeBits.get(type) ?? 1 << this.#typeBits.size
      this.#typeBits.set(type, bit)
      bits |= bit
    }
    assert(this.#typeBits.size <= TYPES_MAX, 'a bit for each type')
    return bits
  }
}

/** The keys under which a filter is posted, and what is to be checked of events that have one. */
type Anchor = { keys: { readonly [D in Dimension]?: Iterable<string> }; rest: EventFilter }

/**
 * A filter is posted under the keys of one of its conditions, the one that fewest events meet. Every
 * event that matches has one of them. `undefined`: the filter names no key.
 */
function anchorOf(filter: EventFilter): Anchor | undefined {
  const { wallets, scopes, gameSlugs, leagues, combo = {} } = filter
  if (wallets !== undefined) return { keys: { wallet: wallets }, rest: { ...filter, wallets: undefined } }
  if (gameSlugs !== undefined) return { keys: { game: gameSlugs }, rest: { ...filter, gameSlugs: undefined } }
  if (leagues !== undefined) return { keys: { league: leagues }, rest: { ...filter, leagues: undefined } }
  const without = (name: keyof ComboFilter): EventFilter => ({
    ...filter,
    combo: { ...combo, [name]: undefined },
  })
  const { conditionIds, legPositionIds, eventIds } = combo
  if (conditionIds !== undefined) {
    return { keys: { combo: conditionIds }, rest: without('conditionIds') }
  }
  if (legPositionIds !== undefined) {
    return { keys: { leg: legPositionIds }, rest: without('legPositionIds') }
  }
  const [scope, ...others] = scopes
  if (scope !== undefined) {
    const { tokens, slugs = [], conditionIds = [] } = scope
    const keys = { token: tokens, slug: slugs, condition: conditionIds }
    return { keys, rest: { ...filter, scopes: others } }
  }
  if (eventIds === undefined) return undefined
  return { keys: { comboEvent: eventIds }, rest: without('eventIds') }
}

/** Whether it has conditions besides the types. */
const hasConditions = ({ types, ...conditions }: EventFilter): boolean =>
  Object.values(conditions).some(
    (condition) => condition !== undefined && !(Array.isArray(condition) && condition.length === 0),
  )

/** The same for filters that match the same events. Only for filters that name no key. */
function broadKey({ types, status, side, sizeMin, sizeMax, combo, feeds, priceKinds }: EventFilter): string {
  const { direction, action, moduleIds } = combo ?? {}
  const values = [status, side, sizeMin, sizeMax, direction, action].map((value) => value ?? null)
  const sets = [types, moduleIds, feeds, priceKinds].map((set) => [...(set ?? [])].sort())
  return JSON.stringify([sets, values, combo !== undefined])
}

/** Goes on with up to this many keys; `true`: there are no more. */
function takeKeys<Receiver>(
  keys: Iterator<Posted<Receiver>>,
  keysMax: number,
  act: (postings: Map<string, Posting<Receiver>>, key: string) => void,
): boolean {
  for (let taken = 0; taken < keysMax; taken++) {
    const { done, value } = keys.next()
    if (done === true) return true
    act(...value)
  }
  return false
}

function post<Receiver>(keys: Map<string, Posting<Receiver>>, key: string, entry: Entry<Receiver>): void {
  const posting = keys.get(key)
  if (posting === undefined) keys.set(key, entry)
  else if (posting instanceof Set) posting.add(entry)
  else if (posting !== entry) keys.set(key, new Set([posting, entry]))
}

function unpost<Receiver>(keys: Map<string, Posting<Receiver>>, key: string, entry: Entry<Receiver>): void {
  const posting = keys.get(key)
  if (posting === entry) keys.delete(key)
  if (!(posting instanceof Set) || !posting.delete(entry)) return
  const [only] = posting
  if (posting.size === 1 && only !== undefined) keys.set(key, only)
}
