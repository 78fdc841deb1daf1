/** What a publisher hands to the bus. The bus reads nothing but the envelope; `data` is its publisher's. */
export type EventDraft = {
  /** The name by which clients subscribe, such as `trade`. */
  type: string
  /** When the event happened. Not in the order of publishing. */
  timestampMs: number
  data: EventData
  keys: EventKeys
  /** The fields of the message before `seq` and `data`, where they are not `type` and `timestamp`. */
  head?: EventData | undefined
}

/** Fields by their names on the wire; fields that are `undefined` are left out of the message. */
export type EventData = Readonly<Record<string, unknown>>

/** The values that filters of subscriptions compare, spelled as in the data. */
export type EventKeys = {
  /** All wallets that take part, in lower case. */
  wallets: readonly string[]
  /** Decimal ids of all tokens involved, those of combo legs included. */
  tokens: readonly string[]
  /** With 64 digits; those of 31 bytes are padded with zeros, as `parseConditionId` does. */
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
  /** Of scores: the code of the league, and the slug of the game where it is known. */
  league?: string | undefined
  gameSlug?: string | undefined
  /** Of combo events only. */
  combo?: ComboKeys | undefined
}

export type ComboKeys = {
  /** Of the combo, with 64 digits. */
  conditionId: string | undefined
  /** Decimal. */
  legPositionIds: readonly string[]
  /** With 58 digits: of the combo or event itself and of the legs. */
  eventIds: readonly string[]
  /** Of the combo or position itself and of the legs. */
  moduleIds: readonly number[]
  /** Of the requester: `BUY` or `SELL`. */
  direction?: string | undefined
  /** Of `combo_lifecycle`, such as `Split`. */
  action?: string | undefined
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
  /** Above that of every event before, those of earlier processes included. Numbers may be left out. */
  readonly seq: number
  readonly type: string
  readonly timestampMs: number
  readonly data: EventData
  readonly keys: EventKeys
  readonly publishedMs: number
  /** Estimated memory of the event and its text. */
  readonly bytes: number
  readonly #head: EventData | undefined
  #text: string | undefined

  constructor(draft: EventDraft, seq: number, publishedMs: number) {
    const { type, timestampMs, data, keys, head } = draft
    this.seq = seq
    this.type = type
    this.timestampMs = timestampMs
    this.data = data
    this.keys = keys
    this.publishedMs = publishedMs
    this.bytes = OBJECT_BYTES + 2 * textLength(data)
    this.#head = head
  }

  /** What was published. */
  get draft(): EventDraft {
    const { type, timestampMs, data, keys } = this
    return { type, timestampMs, data, keys, head: this.#head }
  }

  /** The message as JSON, written at the first use and then shared by all clients. */
  get text(): string {
    if (this.#text === undefined) {
      const head = this.#head ?? { type: this.type, timestamp: this.timestampMs }
      this.#text = JSON.stringify({ ...head, seq: this.seq, data: this.data })
    }
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
