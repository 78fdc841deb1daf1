import { type BookChange, LiveBook } from '../../src/books/live-book.js'
import { canonicalDecimal } from '../../src/books/pn1.js'

/** Shares of an order: round numbers mostly, as people write them, and the rests of orders that were met. */
const ORDER_SIZES = ['5', '10', '20', '25', '50', '100', '100', '200', '250', '500', '1000', '2500']
const LEVELS = 20
const TICKS = 100
/** The best price moves with this share of the messages. */
const MOVES = 0.03
const TRADES = 0.02
const LATENCY_MS = { least: 15, mean: 30 }

type Side = 'BUY' | 'SELL'

/**
 * Changes of books as live books publish them: orders come and go near the best prices, most often at them, each shows on
 * both tokens of its market, the best prices move now and then, trades happen. Sizes are the sums of orders. Seeded.
 */
export class BookTraffic {
  readonly tokenIds: string[]
  readonly #books: Map<string, LiveBook>
  readonly #mids: number[]
  #seed = 7
  readonly #listeners = new Set<(changes: readonly BookChange[]) => void>()

  constructor(markets: number, nowMs: number) {
    this.tokenIds = Array.from({ length: markets * 2 }, (_, index) => `${10n ** 76n + BigInt(index)}`)
    this.#books = new Map(this.tokenIds.map((tokenId) => [tokenId, new LiveBook(tokenId)]))
    this.#mids = Array.from({ length: markets }, () => 25 + Math.floor(this.#random() * 50))
    for (let market = 0; market < markets; market++) {
      for (let depth = 1; depth <= LEVELS; depth++) {
        this.#set(market, 'BUY', this.#mid(market) - depth, this.#orders(4), nowMs)
        this.#set(market, 'SELL', this.#mid(market) + depth, this.#orders(4), nowMs)
      }
    }
    for (const book of this.#books.values()) book.state = 'live'
  }

  get(tokenId: string): LiveBook | undefined {
    return this.#books.get(tokenId)
  }

  subscribe(listener: (changes: readonly BookChange[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Publishes changes; without a listener they only happen. */
  publish(changes: readonly BookChange[]): void {
    for (const listener of this.#listeners) listener(changes)
  }

  /** What one message of the exchange changes, which comes at this moment. */
  next(nowMs: number): BookChange[] {
    const market = Math.floor(this.#random() * this.#mids.length)
    const timestampMs = Math.round(nowMs - LATENCY_MS.least + Math.log(1 - this.#random()) * LATENCY_MS.mean)
    if (this.#random() < MOVES) return this.#move(market, timestampMs)
    if (this.#random() < TRADES) return this.#trade(market, timestampMs)
    const side = this.#random() < 0.5 ? 'BUY' : 'SELL'
    const depth = 1 + Math.min(LEVELS - 1, Math.floor(-Math.log(1 - this.#random()) * 3))
    const price = this.#mid(market) + (side === 'BUY' ? -depth : depth)
    const before = this.#sizeOf(market, side, price)
    const order = this.#orders(1)
    const size = this.#random() < 0.5 || before <= order ? before + order : before - order
    return this.#set(market, side, price, size, timestampMs)
  }

  /** One side gives way by a tick, the other follows. */
  #move(market: number, timestampMs: number): BookChange[] {
    const mid = this.#mid(market)
    const up = this.#random() < 0.5 ? 1 : -1
    if (mid + up <= LEVELS || mid + up >= TICKS - LEVELS) return this.#trade(market, timestampMs)
    this.#mids[market] = mid + up
    const [gone, come]: [Side, Side] = up > 0 ? ['SELL', 'BUY'] : ['BUY', 'SELL']
    return [
      ...this.#set(market, gone, mid + up, 0, timestampMs),
      ...this.#set(market, come, mid, this.#orders(2), timestampMs),
    ]
  }

  #trade(market: number, timestampMs: number): BookChange[] {
    const tokenId = this.tokenIds[market * 2] ?? ''
    const of = { tokenId, conditionId: conditionOf(market), side: 'BUY' as const, feeRateBps: 0, timestampMs }
    return [{ kind: 'trade', ...of, price: '0.5', size: toShares(this.#orders(1)) }]
  }

  #set(market: number, side: Side, tick: number, size: number, timestampMs: number): BookChange[] {
    if (tick <= 0 || tick >= TICKS) return []
    const other = side === 'BUY' ? 'SELL' : 'BUY'
    return [
      this.#change(market, 0, side, tick, size, timestampMs),
      this.#change(market, 1, other, TICKS - tick, size, timestampMs),
    ]
  }

  #change(
    market: number,
    outcome: 0 | 1,
    side: Side,
    tick: number,
    shares: number,
    timestampMs: number,
  ): BookChange {
    const tokenId = this.tokenIds[market * 2 + outcome] ?? ''
    const book = this.#books.get(tokenId) ?? new LiveBook(tokenId)
    const price = canonicalDecimal((tick / TICKS).toFixed(2))
    const size = toShares(shares)
    book.setLevel(side, price, size)
    book.conditionId = conditionOf(market)
    book.timestampMs = timestampMs
    const { bestBid, bestAsk } = book
    return {
      kind: 'level',
      tokenId,
      conditionId: conditionOf(market),
      side,
      price,
      size,
      bestBid,
      bestAsk,
      timestampMs,
    }
  }

  /** In hundredths of a share. */
  #sizeOf(market: number, side: Side, tick: number): number {
    const book = this.#books.get(this.tokenIds[market * 2] ?? '')
    const price = canonicalDecimal((tick / TICKS).toFixed(2))
    const level = (side === 'BUY' ? book?.bids : book?.asks)?.find((each) => each.price === price)
    return Math.round(Number(level?.size ?? 0) * 100)
  }

  /** The sum of some orders, every third of which is what was left of one. */
  #orders(count: number): number {
    let sum = 0
    for (let order = 0; order < count; order++) {
      const whole = Number(ORDER_SIZES[Math.floor(this.#random() * ORDER_SIZES.length)]) * 100
      sum += this.#random() < 1 / 3 ? 1 + Math.floor(whole * this.#random()) : whole
    }
    return sum
  }

  #mid(market: number): number {
    return this.#mids[market] ?? TICKS / 2
  }

  #random(): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647
    return this.#seed / 2_147_483_647
  }
}

const conditionOf = (market: number): string => `0x${market.toString(16).padStart(64, '0')}`
const toShares = (hundredths: number): string => canonicalDecimal((hundredths / 100).toFixed(2))
