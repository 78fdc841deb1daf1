import { estimateBytes } from './event-size.js'

/** Something that happened, numbered and kept by the bus. The same object goes to every reader. */
export class BusEvent {
  /** One more than the event before; also above every id of an earlier process. */
  readonly id: number
  readonly type: EventType
  /** When it happened, by its own account. Not in the order of the ids. */
  readonly timestampMs: number
  readonly data: EventData
  readonly keys: EventKeys
  readonly publishedMs: number
  /** About what it takes in memory. */
  readonly bytes: number
  #text: string | undefined

  constructor(draft: EventDraft, id: number, publishedMs: number) {
    this.id = id
    this.type = draft.type
    this.timestampMs = draft.timestampMs
    this.data = draft.data
    this.keys = draft.keys
    this.publishedMs = publishedMs
    this.bytes = estimateBytes(draft.data)
  }

  /** The message as readers get it, made when the first of them wants it. */
  get text(): string {
    this.#text ??= this.#write()
    return this.#text
  }

  #write(): string {
    const { type, timestampMs: timestamp, data } = this
    // Fills go out flat, under a name and without a time of their own.
    if (type === 'fill') return JSON.stringify({ type: 'event', data })
    // Prices repeat who and when (in seconds) above the data, and what mean they are.
    if (type === 'price_feed') {
      const { price, bid, ask, ...head } = data
      return JSON.stringify({ type, ...head, data })
    }
    return JSON.stringify({ type, timestamp, data })
  }
}

export type EventDraft = {
  type: EventType
  timestampMs: number
  data: EventData
  keys: EventKeys
}

/** Fields by their names on the wire; those that are `undefined` are left out. */
export type EventData = Readonly<Record<string, unknown>>

export type EventType =
  | 'settlement'
  | 'fill'
  | 'status_update'
  | 'trade'
  | 'position_change'
  | 'position_split'
  | 'position_merge'
  | 'positions_converted'
  | 'redemption'
  | 'deposit'
  | 'block'
  | 'oracle'
  | 'combo_execution'
  | 'combo_status_update'
  | 'combo_lifecycle'
  | 'reorg'
  | 'price_feed'

/** What filters look at, spelled as in the data. */
export type EventKeys = {
  /** Everybody who takes part; lower-case. */
  wallets: readonly string[]
  /** Decimal ids of the tokens it is about, those of combo legs included. */
  tokens: readonly string[]
  conditionIds: readonly string[]
  /** `undefined` where the market is not known (yet). */
  marketSlug: string | undefined
  eventSlug: string | undefined
  /** `BUY` or `SELL`, of combos `YES` or `NO`. */
  side: string | undefined
  /** What it is worth in dollars, for bounds on the size. */
  sizeUsd: number | undefined
  status: 'pending' | 'confirmed'
  /** Of prices: `BTC/USD`, and which price of it. */
  feed?: string | undefined
  priceSource?: string | undefined
}

/** Of events that no filter but one on their type finds. */
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
