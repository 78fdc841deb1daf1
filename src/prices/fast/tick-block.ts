// Fast: five minutes of ticks are three columns of numbers in one row, read without parsing. With the
// rest of this folder 100,000 ticks take 0.03 of the time of a row for each tick and `JSON.stringify`
// (`npm run bench ticks`). Plain twin: `expectSlots` in tick-block.test.ts.

import assert from 'node:assert/strict'

export const BLOCK_SEC = 300

/** A price and the quotes around it; some sources have the price alone. */
export type Quote = { price: number; bid: number | null; ask: number | null }

/** The prices come first, and are all that a block needs. */
export const COLUMN_BYTES = BLOCK_SEC * Float64Array.BYTES_PER_ELEMENT

/** Five minutes of a stream, a slot for each second. The first tick of a second stays. */
export class TickBlock {
  readonly #prices: Float64Array
  #bids: Float64Array | undefined
  #asks: Float64Array | undefined

  /** Without bytes it is empty. */
  constructor(bytes?: Uint8Array) {
    const [prices, bids, asks] = bytes === undefined ? [] : readColumns(bytes)
    this.#prices = prices ?? emptyColumn()
    this.#bids = bids
    this.#asks = asks
  }

  /** As the database has it: see `tick_blocks`. */
  toBytes(): Buffer {
    const columns = [this.#prices, this.#bids, this.#asks].filter((column) => column !== undefined)
    return Buffer.concat(
      columns.map((column) => new Uint8Array(column.buffer, column.byteOffset, COLUMN_BYTES)),
    )
  }

  /** NaN: there is none. */
  priceAt(slot: number): number {
    return this.#prices[slot] ?? Number.NaN
  }

  /** The price itself where the source has no bid. */
  bidAt(slot: number): number {
    return quoteAt(this.#bids, slot) ?? this.priceAt(slot)
  }

  askAt(slot: number): number {
    return quoteAt(this.#asks, slot) ?? this.priceAt(slot)
  }

  /** Whether the slot was free. */
  put(slot: number, { price, bid, ask }: Quote): boolean {
    assert(slot >= 0 && slot < BLOCK_SEC && Number.isFinite(price), 'a tick has a slot and a price')
    if (!Number.isNaN(this.priceAt(slot))) return false
    this.#prices[slot] = price
    if (bid !== null && ask !== null) {
      this.#bids ??= emptyColumn()
      this.#asks ??= emptyColumn()
      this.#bids[slot] = bid
      this.#asks[slot] = ask
    }
    return true
  }

  /** The last slot up to this one that has a price; -1: there is none. */
  lastSlot(upTo: number): number {
    let slot = Math.min(upTo, BLOCK_SEC - 1)
    while (slot >= 0 && Number.isNaN(this.priceAt(slot))) slot--
    return slot
  }
}

export const tickBlockOf = (sec: number): number => Math.floor(sec / BLOCK_SEC)

export const slotOf = (sec: number): number => sec % BLOCK_SEC

const emptyColumn = (): Float64Array => new Float64Array(BLOCK_SEC).fill(Number.NaN)

function quoteAt(column: Float64Array | undefined, slot: number): number | undefined {
  const quote = column?.[slot]
  return quote === undefined || Number.isNaN(quote) ? undefined : quote
}

/**
 * Copied, because the bytes of a row may begin anywhere and numbers may not. Not with `slice`, which
 * copies nothing of a `Buffer`.
 */
function readColumns(bytes: Uint8Array): Float64Array[] {
  const count = bytes.length / COLUMN_BYTES
  assert(count === 1 || count === 3, 'a block has one column or three')
  const copy = new Uint8Array(bytes).buffer
  return Array.from({ length: count }, (_, index) => new Float64Array(copy, index * COLUMN_BYTES, BLOCK_SEC))
}
