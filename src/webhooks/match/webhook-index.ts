import { WEBHOOK_EVENT_TYPE_NAMES, type WebhookEventType } from '../event-types.js'
import type { WebhookFilters } from '../filters.js'
import type { Occurrence, OccurrenceKeys } from './detector.js'
import {
  KEY_LISTS,
  keysOfList,
  NO_THRESHOLD,
  thresholdsOf,
  typeFiltersOf,
  WALLET_LIST,
} from './occurrence-filter.js'

/** An active webhook, as far as matching needs it. */
export type IndexedWebhook = {
  id: number
  publicId: string
  accountId: number
  eventTypes: readonly WebhookEventType[]
  filters: WebhookFilters
  /** It sees what is among the facts after this `seq`, and not long before this time. */
  fromSeq: number
  activeSinceMs: number
}

/** What a webhook asks for one or several types. Where it is found by a key, that filter holds already. */
type Entry = {
  webhook: IndexedWebhook
  /** One bit for each type. */
  typeBits: number
  /** One bit for each filter that is to be checked besides. */
  checkedBits: number
  /** The list under whose keys it is posted; `undefined`: it names no key. */
  list: number | undefined
  keys: readonly string[]
  /** The keys of the other lists, by number of the list; `undefined`: everything passes. */
  others: readonly (ReadonlySet<string> | undefined)[]
  /** By index, see `occurrence-filter.ts`. */
  thresholds: readonly bigint[]
  foundAt: number
}

/** Most keys are those of one webhook. */
type Posting = Entry | Entry[]

/** Entries without keys, those with the lowest threshold first. */
type Broad = { threshold: bigint; entry: Entry }[]
type BroadBySide = { either: Broad; BUY: Broad; SELL: Broad }

/** The bits of the lists are the lowest; the others follow them. */
const LIST_BITS = (1 << 7) - 1
const BITS = { threshold: 1 << 7, side: 1 << 8, status: 1 << 9 }

const TYPES = WEBHOOK_EVENT_TYPE_NAMES.map((name, number) => {
  const filters = typeFiltersOf(name)
  const checkedBits =
    filters.lists.reduce((bits, list) => bits | (1 << list.number), 0) |
    (filters.threshold < 0 ? 0 : BITS.threshold) |
    (filters.hasSide ? BITS.side : 0) |
    (filters.hasStatus ? BITS.status : 0)
  return { name, bit: 1 << number, checkedBits, ...filters }
})
type Type = (typeof TYPES)[number]
const TYPE_OF = new Map(TYPES.map((type) => [type.name, type]))

/**
 * Finds the webhooks that want an occurrence. For each type a webhook is posted under the keys of one of
 * its filters, the one that fewest occurrences meet; without keys it stands in a list that is sorted by
 * its threshold, of which an occurrence reads the part that it reaches. So an occurrence costs as much
 * as there are webhooks that share a key with it, however many there are.
 */
export class WebhookIndex {
  readonly #postings = KEY_LISTS.map(() => new Map<string, Posting>())
  readonly #broad = new Map<WebhookEventType, BroadBySide>()
  readonly #entries = new Map<number, readonly Entry[]>()
  /** How many webhooks ask for a type, and how many of them name no wallets. */
  readonly #asking = new Map<WebhookEventType, { all: number; ofAnyWallet: number }>()
  /** Counts the occurrences: entries with its number were found for it already. */
  #round = 0

  /** How many webhooks there are. */
  get size(): number {
    return this.#entries.size
  }

  *webhooks(): Generator<IndexedWebhook> {
    for (const [entry] of this.#entries.values()) if (entry !== undefined) yield entry.webhook
  }

  /** Whether a webhook asks for this type. */
  asksFor(type: WebhookEventType): boolean {
    return this.#asking.has(type)
  }

  /** Whether a webhook asks for a type and, where it names wallets, for this one. */
  isWatched(type: WebhookEventType, wallet: string): boolean {
    const asking = this.#asking.get(type)
    if (asking === undefined) return false
    if (asking.ofAnyWallet > 0) return true
    const posting = this.#postings[WALLET_LIST]?.get(wallet)
    const entries = Array.isArray(posting) ? posting : posting === undefined ? [] : [posting]
    return entries.some((entry) => isOf(entry, type))
  }

  /** Adds a webhook, instead of one with the same id. */
  set(webhook: IndexedWebhook): void {
    this.delete(webhook.id)
    const entries = createEntries(webhook)
    this.#entries.set(webhook.id, entries)
    for (const entry of entries) this.#eachPosting(entry, addPosting, addBroad)
    this.#count(entries, 1)
  }

  delete(id: number): void {
    const entries = this.#entries.get(id)
    if (entries === undefined) return
    this.#entries.delete(id)
    for (const entry of entries) this.#eachPosting(entry, removePosting, removeBroad)
    this.#count(entries, -1)
  }

  /** Each webhook once, in no order. What it saw before it was made is the caller's to leave out. */
  match({ type: name, keys }: Pick<Occurrence, 'type' | 'keys'>): IndexedWebhook[] {
    const found: IndexedWebhook[] = []
    if (!this.#asking.has(name)) return found
    const type = typeOf(name)
    this.#round++
    for (const { number, keysOf } of type.lists) {
      const postings = this.#postings[number]
      if (postings === undefined || postings.size === 0) continue
      for (const key of keysOf(keys)) {
        const posting = postings.get(key)
        if (posting === undefined) continue
        if (Array.isArray(posting)) for (const entry of posting) this.#check(entry, type, keys, found)
        else this.#check(posting, type, keys, found)
      }
    }
    const broad = this.#broad.get(name)
    if (broad !== undefined) {
      this.#checkReached(broad.either, type, keys, found)
      if (keys.side !== undefined) this.#checkReached(broad[keys.side], type, keys, found)
    }
    return found
  }

  #checkReached(broad: Broad, type: Type, keys: OccurrenceKeys, found: IndexedWebhook[]): void {
    const reached = keys.usd ?? NO_THRESHOLD
    for (const { threshold, entry } of broad) {
      if (threshold > reached) break
      this.#check(entry, type, keys, found)
    }
  }

  #check(entry: Entry, type: Type, keys: OccurrenceKeys, found: IndexedWebhook[]): void {
    if ((entry.typeBits & type.bit) === 0 || entry.foundAt === this.#round) return
    if (!passes(entry, type, keys)) return
    entry.foundAt = this.#round
    found.push(entry.webhook)
  }

  #eachPosting(
    entry: Entry,
    onPosting: (postings: Map<string, Posting>, key: string, entry: Entry) => void,
    onBroad: (broad: Broad, threshold: bigint, entry: Entry) => void,
  ): void {
    const postings = entry.list === undefined ? undefined : this.#postings[entry.list]
    if (postings !== undefined) {
      for (const key of entry.keys) onPosting(postings, key, entry)
      return
    }
    for (const type of TYPES) {
      if ((entry.typeBits & type.bit) === 0) continue
      const broad = this.#broad.get(type.name) ?? { either: [], BUY: [], SELL: [] }
      this.#broad.set(type.name, broad)
      const side = (type.hasSide ? entry.webhook.filters.side : undefined) ?? 'either'
      onBroad(broad[side], thresholdFor(entry, type), entry)
    }
  }

  #count(entries: readonly Entry[], change: 1 | -1): void {
    for (const { name } of TYPES) {
      const entry = entries.find((each) => isOf(each, name))
      if (entry === undefined) continue
      const asking = this.#asking.get(name) ?? { all: 0, ofAnyWallet: 0 }
      asking.all += change
      if (entry.list !== WALLET_LIST) asking.ofAnyWallet += change
      if (asking.all === 0) this.#asking.delete(name)
      else this.#asking.set(name, asking)
    }
  }
}

function typeOf(name: WebhookEventType): Type {
  const type = TYPE_OF.get(name)
  if (type === undefined) throw new Error(`there is no event type ${name}`)
  return type
}

const isOf = ({ typeBits }: Entry, name: WebhookEventType): boolean => (typeBits & typeOf(name).bit) !== 0

const thresholdFor = ({ thresholds }: Entry, { threshold }: Type): bigint =>
  thresholds[threshold] ?? NO_THRESHOLD

/** One entry for all types that are found by the same list, and one for those that are found by none. */
function createEntries(webhook: IndexedWebhook): Entry[] {
  const { filters } = webhook
  const keys = KEY_LISTS.map(({ name }) => keysOfList(filters, name))
  const thresholds = thresholdsOf(filters)
  const checked =
    keys.reduce((bits, list, number) => (list === undefined ? bits : bits | (1 << number)), 0) |
    (thresholds.every((threshold) => threshold === NO_THRESHOLD) ? 0 : BITS.threshold) |
    (filters.side === undefined ? 0 : BITS.side) |
    (filters.status_from === undefined && filters.status_to === undefined ? 0 : BITS.status)
  const entries = new Map<number | undefined, Entry>()
  for (const name of webhook.eventTypes) {
    const type = typeOf(name)
    const list = type.lists.find(({ number }) => keys[number] !== undefined)?.number
    // Written out, because reading an object that was made by spreads takes three times as long.
    const entry = entries.get(list) ?? {
      webhook,
      typeBits: 0,
      checkedBits: list === undefined ? checked : checked & ~(1 << list),
      foundAt: 0,
      thresholds,
      list,
      keys: list === undefined ? [] : (keys[list] ?? []),
      others: keys.map((others, number) =>
        others === undefined || number === list ? undefined : new Set(others),
      ),
    }
    entry.typeBits |= type.bit
    entries.set(list, entry)
  }
  return [...entries.values()]
}

/** Whether the filters hold by which it was not found. */
function passes(entry: Entry, type: Type, keys: OccurrenceKeys): boolean {
  const checked = entry.checkedBits & type.checkedBits
  if (checked === 0) return true
  if ((checked & BITS.threshold) !== 0 && thresholdFor(entry, type) > (keys.usd ?? NO_THRESHOLD)) {
    return false
  }
  const { filters } = entry.webhook
  if ((checked & BITS.side) !== 0 && filters.side !== keys.side) return false
  if ((checked & BITS.status) !== 0) {
    if (filters.status_from !== undefined && filters.status_from !== keys.statusFrom) return false
    if (filters.status_to !== undefined && filters.status_to !== keys.statusTo) return false
  }
  if ((checked & LIST_BITS) === 0) return true
  return type.lists.every(({ number, keysOf }) => {
    const wanted = (checked & (1 << number)) === 0 ? undefined : entry.others[number]
    return wanted === undefined || keysOf(keys).some((key) => wanted.has(key))
  })
}

function addPosting(postings: Map<string, Posting>, key: string, entry: Entry): void {
  const posting = postings.get(key)
  if (posting === undefined) postings.set(key, entry)
  else if (Array.isArray(posting)) posting.push(entry)
  else postings.set(key, [posting, entry])
}

function removePosting(postings: Map<string, Posting>, key: string, entry: Entry): void {
  const posting = postings.get(key)
  if (!Array.isArray(posting)) {
    postings.delete(key)
    return
  }
  posting.splice(posting.indexOf(entry), 1)
  const [only] = posting
  if (posting.length === 1 && only !== undefined) postings.set(key, only)
}

function addBroad(broad: Broad, threshold: bigint, entry: Entry): void {
  broad.splice(firstAbove(broad, threshold), 0, { threshold, entry })
}

function removeBroad(broad: Broad, _threshold: bigint, entry: Entry): void {
  const index = broad.findIndex((each) => each.entry === entry)
  if (index >= 0) broad.splice(index, 1)
}

/** The index of the first one with a higher threshold. */
function firstAbove(broad: Broad, threshold: bigint): number {
  let [low, high] = [0, broad.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((broad[middle]?.threshold ?? 0n) <= threshold) low = middle + 1
    else high = middle
  }
  return low
}
