import { type EventFilter, type FilteredEvent, matchesEvent } from './event-filter.js'

/** A filter in the index. */
type Entry<Receiver> = { filter: EventFilter; member: Member<Receiver>; askedAt: number }

/** A receiver, shared by all of its filters. */
type Member<Receiver> = { receiver: Receiver; entries: number; foundAt: number }

/** Most keys are those of one filter. */
type Posting<Receiver> = Entry<Receiver> | Set<Entry<Receiver>>

/** Filters that are the same and name no key: they are asked once for all. */
type BroadGroup<Receiver> = { filter: EventFilter; entries: Set<Entry<Receiver>> }

const DIMENSIONS = ['wallet', 'token', 'slug', 'condition', 'combo', 'leg', 'comboEvent'] as const
type Dimension = (typeof DIMENSIONS)[number]

/**
 * Finds the receivers of an event. A filter that names wallets, or tokens, is posted under each of
 * them, and asked only about events that have one: the cost of an event grows with the filters that
 * share a key with it, not with all there are. Filters that name no key are posted under their types,
 * once for all that are the same.
 */
export class SubscriptionIndex<Receiver extends object> {
  readonly #postings = new Map<Dimension, Map<string, Posting<Receiver>>>()
  readonly #groups = new Map<string, BroadGroup<Receiver>>()
  readonly #groupsByType = new Map<string, Set<BroadGroup<Receiver>>>()
  readonly #members = new Map<Receiver, Member<Receiver>>()
  /** Counts the events: whoever carries its number was asked or found for it already. */
  #round = 0
  #size = 0

  constructor() {
    for (const dimension of DIMENSIONS) this.#postings.set(dimension, new Map())
  }

  /** How many filters there are. */
  get size(): number {
    return this.#size
  }

  /** Returns the function that removes it. */
  add(receiver: Receiver, filter: EventFilter): () => void {
    const member = this.#members.get(receiver) ?? { receiver, entries: 0, foundAt: 0 }
    const entry: Entry<Receiver> = { filter, member, askedAt: 0 }
    this.#members.set(receiver, member)
    member.entries++
    this.#size++
    const anchors = anchorsOf(filter)
    if (anchors.length === 0) this.#addBroad(entry)
    else this.#eachKey(anchors, (keys, key) => post(keys, key, entry))
    let isIn = true
    return () => {
      if (!isIn) return
      isIn = false
      this.#remove(entry, anchors)
    }
  }

  /** Each receiver once, in no order. */
  match(event: FilteredEvent): Receiver[] {
    const found: Receiver[] = []
    if (this.#size === 0) return found
    this.#round++
    for (const group of this.#groupsByType.get(event.type) ?? []) {
      if (matchesEvent(group.filter, event))
        for (const { member } of group.entries) this.#find(member, found)
    }
    const { keys } = event
    for (const wallet of keys.wallets) this.#ask('wallet', wallet, event, found)
    for (const token of keys.tokens) this.#ask('token', token, event, found)
    for (const condition of keys.conditionIds) this.#ask('condition', condition, event, found)
    if (keys.marketSlug !== undefined) this.#ask('slug', keys.marketSlug, event, found)
    if (keys.eventSlug !== undefined) this.#ask('slug', keys.eventSlug, event, found)
    const { combo } = keys
    if (combo !== undefined) {
      if (combo.conditionId !== undefined) this.#ask('combo', combo.conditionId, event, found)
      for (const leg of combo.legPositionIds) this.#ask('leg', leg, event, found)
      for (const id of combo.eventIds) this.#ask('comboEvent', id, event, found)
    }
    return found
  }

  #ask(dimension: Dimension, key: string, event: FilteredEvent, found: Receiver[]): void {
    const posting = this.#postings.get(dimension)?.get(key)
    if (posting === undefined) return
    if (posting instanceof Set) for (const entry of posting) this.#askEntry(entry, event, found)
    else this.#askEntry(posting, event, found)
  }

  #askEntry(entry: Entry<Receiver>, event: FilteredEvent, found: Receiver[]): void {
    if (entry.askedAt === this.#round || entry.member.foundAt === this.#round) return
    entry.askedAt = this.#round
    if (matchesEvent(entry.filter, event)) this.#find(entry.member, found)
  }

  #find(member: Member<Receiver>, found: Receiver[]): void {
    if (member.foundAt === this.#round) return
    member.foundAt = this.#round
    found.push(member.receiver)
  }

  #addBroad(entry: Entry<Receiver>): void {
    const { filter } = entry
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

  #removeBroad(entry: Entry<Receiver>): void {
    const key = broadKey(entry.filter)
    const group = this.#groups.get(key)
    group?.entries.delete(entry)
    if (group === undefined || group.entries.size > 0) return
    this.#groups.delete(key)
    for (const type of group.filter.types) {
      const groups = this.#groupsByType.get(type)
      groups?.delete(group)
      if (groups?.size === 0) this.#groupsByType.delete(type)
    }
  }

  #remove(entry: Entry<Receiver>, anchors: readonly Anchor[]): void {
    const { member } = entry
    if (anchors.length === 0) this.#removeBroad(entry)
    else this.#eachKey(anchors, (keys, key) => unpost(keys, key, entry))
    this.#size--
    member.entries--
    if (member.entries === 0) this.#members.delete(member.receiver)
  }

  #eachKey(
    anchors: readonly Anchor[],
    act: (keys: Map<string, Posting<Receiver>>, key: string) => void,
  ): void {
    for (const { dimension, keys } of anchors) {
      const postings = this.#postings.get(dimension)
      if (postings !== undefined) for (const key of keys) act(postings, key)
    }
  }
}

type Anchor = { dimension: Dimension; keys: Iterable<string> }

/**
 * The keys under which a filter is posted: those of one of its conditions, the one that fewest events
 * meet. Every event that matches has one of them. None: the filter names no key.
 */
function anchorsOf({ wallets, scopes, combo = {} }: EventFilter): Anchor[] {
  if (wallets !== undefined) return [{ dimension: 'wallet', keys: wallets }]
  const { conditionIds, legPositionIds, eventIds } = combo
  if (conditionIds !== undefined) return [{ dimension: 'combo', keys: conditionIds }]
  if (legPositionIds !== undefined) return [{ dimension: 'leg', keys: legPositionIds }]
  const [scope] = scopes
  if (scope !== undefined) {
    return [
      { dimension: 'token', keys: scope.tokens },
      { dimension: 'slug', keys: scope.slugs ?? [] },
      { dimension: 'condition', keys: scope.conditionIds ?? [] },
    ]
  }
  return eventIds === undefined ? [] : [{ dimension: 'comboEvent', keys: eventIds }]
}

/** The same for filters that match the same events. Only for filters that name no key. */
function broadKey({ types, status, side, sizeMin, sizeMax, combo }: EventFilter): string {
  const { direction, action, moduleIds = [] } = combo ?? {}
  const values = [status, side, sizeMin, sizeMax, direction, action].map((value) => value ?? null)
  return JSON.stringify([[...types].sort(), values, combo !== undefined, [...moduleIds].sort()])
}

function post<Receiver>(
  keys: Map<string, Posting<Receiver>>,
  key: string,
  entry: Entry<Receiver>,
): void {
  const posting = keys.get(key)
  if (posting === undefined) keys.set(key, entry)
  else if (posting instanceof Set) posting.add(entry)
  else if (posting !== entry) keys.set(key, new Set([posting, entry]))
}

function unpost<Receiver>(
  keys: Map<string, Posting<Receiver>>,
  key: string,
  entry: Entry<Receiver>,
): void {
  const posting = keys.get(key)
  if (posting === entry) keys.delete(key)
  if (!(posting instanceof Set) || !posting.delete(entry)) return
  const [only] = posting
  if (posting.size === 1 && only !== undefined) keys.set(key, only)
}
