/** What a publisher hands to the bus. The bus reads nothing but the envelope; `data` is its publisher's. */
export type EventDraft = {
  /** The name by which clients subscribe, such as `trade`. */
  type: string
  /** When the event happened. Not in the order of publishing. */
  timestampMs: number
  data: EventData
  keys: EventKeys
  /** What clients receive instead of `{ type, timestamp, data }`. */
  message?: object | undefined
}

/** Fields by their names on the wire; fields that are `undefined` are left out of the message. */
export type EventData = Readonly<Record<string, unknown>>

/** The values that filters of subscriptions compare, spelled as in the data. */
export type EventKeys = {
  /** All wallets that take part, in lower case. */
  wallets: readonly string[]
  /** Decimal ids of all tokens involved, those of combo legs included. */
  tokens: readonly string[]
  conditionIds: readonly string[]
  /** `undefined` while the catalogue does not have the market. */
  marketSlug: string | undefined
  eventSlug: string | undefined
  /** `BUY` or `SELL`; for combos `YES` or `NO`. */
  side: string | undefined
  /** Worth in dollars, for filters by size. */
  sizeUsd: number | undefined
  status: 'pending' | 'confirmed'
  /** Of coin prices: the feed, such as `BTC/USD`, and which of its prices. */
  feed?: string | undefined
  priceSource?: string | undefined
}

/** The keys of an event that is found by its type alone. */
export const NO_KEYS: EventKeys = {
  wallets: [],
  tokens: [],
  conditionIds: [],
  marketSlug: undefined,
  eventSlug: undefined,
  side: undefined,
  sizeUsd: undefined,
  status: 'confirmed',
}

/** A published event. All listeners receive the same object. */
export class BusEvent {
  /** One more than the id of the event before, and above every id of an earlier process. */
  readonly id: number
  readonly type: string
  readonly timestampMs: number
  readonly data: EventData
  readonly keys: EventKeys
  readonly publishedMs: number
  /** Estimated memory of the event and its text. */
  readonly bytes: number
  readonly #message: object
  #text: string | undefined

  constructor(draft: EventDraft, id: number, publishedMs: number) {
    const { type, timestampMs, data, keys } = draft
    this.id = id
    this.type = type
    this.timestampMs = timestampMs
    this.data = data
    this.keys = keys
    this.publishedMs = publishedMs
    this.bytes = OBJECT_BYTES + 2 * textLength(data)
    this.#message = draft.message ?? { type, timestamp: timestampMs, data }
  }

  /** The message as JSON, written at the first use and then shared by all clients. */
  get text(): string {
    this.#text ??= JSON.stringify(this.#message)
    return this.#text
  }
}

/** Memory of an object and its strings apart from their characters. */
const OBJECT_BYTES = 300

/** About the length of the value as JSON. */
function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length + 3
  if (typeof value !== 'object' || value === null) return 8
  let length = 2
  if (Array.isArray(value)) {
    for (const item of value) length += textLength(item)
    return length
  }
  for (const [name, field] of Object.entries(value))
    if (field !== undefined) length += name.length + 3 + textLength(field)
  return length
}
