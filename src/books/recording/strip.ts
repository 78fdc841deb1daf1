import assert from 'node:assert/strict'
import type { BookLevel, BookSide } from '../live-book.js'
import { ByteReader, ByteWriter } from './bytes.js'
import { countDecimals, readDecimal, toCanonical, toUnits, writeDecimal } from './decimal-code.js'
import type { RecordedBook, RecordedChange, RecordedDetails } from './recorded-change.js'

/**
 * A strip is a run of changes of one token in columns. Each value is the difference from the one before it in its
 * column, so that little is left to compress. The columns: kinds, times of receipt, their delays after the times of
 * the exchange, prices, sizes, and texts for what is rare.
 */
const VERSION = 1

/** The first two, and again when they continue the level before them: see `RecordedLevel`. */
const KINDS = { bid: 0, ask: 1, snapshot: 4, keyframe: 5, trade: 6, details: 7, state: 8 } as const
const CONTINUED = 2

/** Which parts of a trade the exchange has named. */
const TRADE = { size: 1, side: 2, sells: 4, fee: 8 } as const

const COLUMNS = ['kinds', 'times', 'delays', 'prices', 'sizes', 'texts'] as const
type Columns<Column> = Record<(typeof COLUMNS)[number], Column>

/** The differences of prices are those from the last price of the same side; trades are a third side. */
const SIDES = { BUY: 0, SELL: 1, trade: 2 } as const
const MORE_DECIMALS_MAX = 9

export const encodeStrip = (changes: readonly RecordedChange[]): Buffer => new StripEncoder().encode(changes)

/** Decodes lazily: one change each time the caller takes the next. */
export function* decodeStrip(bytes: Uint8Array): Generator<RecordedChange> {
  const reader = new ByteReader(bytes)
  const version = reader.byte()
  assert(version === VERSION, `strips of version ${version} are of a later release`)
  const count = reader.unsigned()
  const decoder = new StripDecoder(
    reader.byte(),
    createColumns(() => new ByteReader(reader.section())),
  )
  for (let index = 0; index < count; index++) yield decoder.next()
}

function createColumns<Column>(create: () => Column): Columns<Column> {
  return {
    kinds: create(),
    times: create(),
    delays: create(),
    prices: create(),
    sizes: create(),
    texts: create(),
  }
}

/** As many decimals as the finest price has. */
function choosePriceDecimals(changes: readonly RecordedChange[]): number {
  let most = 0
  const look = ({ price }: { readonly price: string }) => {
    most = Math.max(most, countDecimals(price))
  }
  for (const change of changes) {
    if (change.kind === 'level' || change.kind === 'trade') look(change)
    else if (change.kind === 'snapshot')
      for (const level of [...change.book.bids, ...change.book.asks]) look(level)
  }
  return Math.min(most, MORE_DECIMALS_MAX)
}

/** To be kept where many strips are encoded: it uses its memory again. */
export class StripEncoder {
  readonly #columns = createColumns(() => new ByteWriter())
  readonly #strip = new ByteWriter()
  readonly #lastPrices: [bid: number, ask: number, trade: number] = [0, 0, 0]
  #decimals = 0
  #atMs = 0
  #ordinal = 0

  /** The changes are in order, and of one token. */
  encode(changes: readonly RecordedChange[]): Buffer {
    this.#decimals = choosePriceDecimals(changes)
    this.#lastPrices.fill(0)
    this.#atMs = 0
    this.#ordinal = 0
    this.#strip.clear()
    for (const name of COLUMNS) this.#columns[name].clear()
    for (const change of changes) this.#add(change)
    return this.#finish(changes.length)
  }

  #add(change: RecordedChange): void {
    const { kinds, sizes, texts } = this.#columns
    this.#addMoment(change)
    switch (change.kind) {
      case 'level': {
        const { side, price, size, isContinued } = change
        kinds.byte((side === 'BUY' ? KINDS.bid : KINDS.ask) + (isContinued ? CONTINUED : 0))
        if (!isContinued) this.#addDelay(change)
        this.#addPrice(SIDES[side], price)
        writeDecimal(sizes, size)
        break
      }
      case 'trade':
        kinds.byte(KINDS.trade)
        this.#addDelay(change)
        this.#addTrade(change)
        break
      case 'snapshot':
        kinds.byte(change.isKeyframe ? KINDS.keyframe : KINDS.snapshot)
        this.#addDelay({ ...change, timestampMs: change.book.timestampMs })
        this.#addBook(change.book)
        break
      case 'details':
        kinds.byte(KINDS.details)
        this.#addDelay({ ...change, timestampMs: change.details.timestampMs })
        this.#addDetails(change.details)
        break
      case 'state':
        kinds.byte(KINDS.state)
        texts.text(JSON.stringify([change.state, change.reason]))
    }
  }

  #finish(count: number): Buffer {
    const strip = this.#strip
    strip.byte(VERSION)
    strip.unsigned(count)
    strip.byte(this.#decimals)
    for (const name of COLUMNS) strip.section(this.#columns[name].bytes)
    return Buffer.from(strip.bytes)
  }

  #addMoment({ atMs, ordinal }: RecordedChange): void {
    const { times } = this.#columns
    const passed = atMs - this.#atMs
    times.unsigned(passed)
    times.unsigned(passed > 0 ? ordinal : ordinal - this.#ordinal)
    this.#atMs = atMs
    this.#ordinal = ordinal
  }

  #addDelay({ atMs, timestampMs }: { atMs: number; timestampMs: number }): void {
    this.#columns.delays.signed(atMs - timestampMs)
  }

  #addTrade(trade: Extract<RecordedChange, { kind: 'trade' }>): void {
    const { kinds, sizes, texts } = this.#columns
    const { size, side, feeRateBps } = trade
    kinds.byte(
      (size === undefined ? 0 : TRADE.size) +
        (side === undefined ? 0 : TRADE.side) +
        (side === 'SELL' ? TRADE.sells : 0) +
        (feeRateBps === undefined ? 0 : TRADE.fee),
    )
    this.#addPrice(SIDES.trade, trade.price)
    if (size !== undefined) sizes.text(size)
    if (feeRateBps !== undefined) texts.text(String(feeRateBps))
  }

  #addBook({ bids, asks, ...details }: RecordedBook): void {
    this.#addDetails(details)
    this.#addLevels('BUY', bids)
    this.#addLevels('SELL', asks)
  }

  #addDetails({ timestampMs: _, ...rest }: RecordedDetails): void {
    this.#columns.texts.text(JSON.stringify(rest))
  }

  #addLevels(side: BookSide, levels: readonly BookLevel[]): void {
    const { sizes } = this.#columns
    sizes.unsigned(levels.length)
    for (const { price, size } of levels) {
      this.#addPrice(SIDES[side], price)
      writeDecimal(sizes, size)
    }
  }

  /** The difference from the last price of that side, with 1 added where the text follows instead. */
  #addPrice(side: 0 | 1 | 2, price: string): void {
    const { prices, texts } = this.#columns
    // Prices of trades are as the exchange wrote them.
    const isExact = side !== SIDES.trade || isCanonical(price)
    const units = isExact ? toUnits(price, this.#decimals) : undefined
    if (units === undefined) {
      prices.unsigned(0)
      texts.text(price)
      return
    }
    const difference = units - this.#lastPrices[side]
    prices.unsigned(difference < 0 ? -2 * difference : 2 * difference + 1)
    this.#lastPrices[side] = units
  }
}

class StripDecoder {
  readonly #decimals: number
  readonly #columns: Columns<ByteReader>
  readonly #lastPrices: [bid: number, ask: number, trade: number] = [0, 0, 0]
  #atMs = 0
  #ordinal = 0
  #timestampMs = 0

  constructor(decimals: number, columns: Columns<ByteReader>) {
    this.#decimals = decimals
    this.#columns = columns
  }

  next(): RecordedChange {
    const { kinds, texts } = this.#columns
    const kind = kinds.byte()
    const moment = this.#readMoment()
    switch (kind) {
      case KINDS.snapshot:
      case KINDS.keyframe:
        return { kind: 'snapshot', ...moment, isKeyframe: kind === KINDS.keyframe, book: this.#readBook() }
      case KINDS.trade:
        return { kind: 'trade', ...moment, ...this.#readTrade() }
      case KINDS.details:
        return { kind: 'details', ...moment, details: this.#readDetails() }
      case KINDS.state: {
        const [state, reason] = JSON.parse(texts.text()) as ['live' | 'stale', string | null]
        return { kind: 'state', ...moment, state, reason: reason ?? undefined }
      }
      default:
        return this.#readLevel(moment, kind)
    }
  }

  #readLevel({ atMs, ordinal }: { atMs: number; ordinal: number }, kind: number): RecordedChange {
    assert(kind <= KINDS.ask + CONTINUED, 'a strip has known kinds of changes')
    const isContinued = kind >= CONTINUED
    const side = kind % CONTINUED === KINDS.bid ? 'BUY' : 'SELL'
    const timestampMs = isContinued ? this.#timestampMs : this.#readTimestamp()
    const price = this.#readPrice(SIDES[side])
    const size = readDecimal(this.#columns.sizes)
    return { kind: 'level', atMs, ordinal, side, price, size, timestampMs, isContinued }
  }

  #readMoment() {
    const { times } = this.#columns
    const passed = times.unsigned()
    const ordinal = times.unsigned()
    this.#atMs += passed
    this.#ordinal = passed > 0 ? ordinal : this.#ordinal + ordinal
    return { atMs: this.#atMs, ordinal: this.#ordinal }
  }

  #readTimestamp(): number {
    this.#timestampMs = this.#atMs - this.#columns.delays.signed()
    return this.#timestampMs
  }

  #readTrade() {
    const { kinds, sizes, texts } = this.#columns
    const flags = kinds.byte()
    const timestampMs = this.#readTimestamp()
    const price = this.#readPrice(SIDES.trade)
    const size = (flags & TRADE.size) === 0 ? undefined : sizes.text()
    const named = (flags & TRADE.sells) === 0 ? ('BUY' as const) : ('SELL' as const)
    const side = (flags & TRADE.side) === 0 ? undefined : named
    const feeRateBps = (flags & TRADE.fee) === 0 ? undefined : Number(texts.text())
    return { price, size, side, feeRateBps, timestampMs }
  }

  #readBook(): RecordedBook {
    const details = this.#readDetails()
    return { ...details, bids: this.#readLevels('BUY'), asks: this.#readLevels('SELL') }
  }

  #readDetails(): RecordedDetails {
    const { hash, tickSize, minOrderSize, negRisk, lastTradePrice, isAbsent } = JSON.parse(
      this.#columns.texts.text(),
    ) as Omit<RecordedDetails, 'timestampMs'>
    const timestampMs = this.#readTimestamp()
    return { timestampMs, hash, tickSize, minOrderSize, negRisk, lastTradePrice, isAbsent }
  }

  #readLevels(side: BookSide): BookLevel[] {
    const { sizes } = this.#columns
    return Array.from({ length: sizes.unsigned() }, () => ({
      price: this.#readPrice(SIDES[side]),
      size: readDecimal(sizes),
    }))
  }

  #readPrice(side: 0 | 1 | 2): string {
    const code = this.#columns.prices.unsigned()
    if (code === 0) return this.#columns.texts.text()
    this.#lastPrices[side] += code % 2 === 0 ? -code / 2 : (code - 1) / 2
    return toCanonical(this.#lastPrices[side], this.#decimals)
  }
}

const isCanonical = (price: string): boolean => /^(0|[1-9]\d*)(\.\d*[1-9])?$/.test(price)
