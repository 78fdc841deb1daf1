import { ANCHOR, PROOF } from './book-shapes.js'
import { canonicalDecimal, pn1Checksum } from './pn1.js'
import { isJson, type Json, problemsOf } from './shape.js'

type Side = 'bids' | 'asks'
export type LevelChange = { side: Side; price: string; size: string }

/**
 * The book of one token as a client rebuilds it. In integrity mode:
 * initializing → ready at an anchor; ready → gated at a number or checksum that does not fit, or when
 * the server says that it resyncs; gated → ready at the next anchor. Changes of a token that is not
 * ready are left alone.
 */
export class StrictBook {
  state: 'initializing' | 'ready' | 'gated' = 'initializing'
  seq = 0
  checksum = ''
  readonly bids = new Map<string, string>()
  readonly asks = new Map<string, string>()

  /** Replaces the book. Returns what is wrong. */
  anchor(message: Json, isProven: boolean): string[] {
    const problems = this.#replace(message)
    const { integrity } = message
    if (!isProven) {
      if (integrity !== undefined) problems.push('a proof comes unasked for')
    } else {
      problems.push(...problemsOf(integrity, ANCHOR, 'anchor'))
      const { seq, checksum, anchor } = isJson(integrity) ? integrity : {}
      if (anchor !== true) problems.push('the proof of a snapshot is no anchor')
      this.seq = Number(seq)
      this.checksum = pn1Checksum(this.bids, this.asks)
      if (checksum !== this.checksum) problems.push(`checksum of the anchor ${seq} is wrong`)
    }
    this.state = problems.length === 0 ? 'ready' : 'gated'
    return problems
  }

  /** Changes levels. Returns what is wrong: the token is gated then. */
  change(changes: readonly LevelChange[], proof: unknown, isProven: boolean): string[] {
    if (!isProven) {
      if (this.state === 'initializing') return []
      this.#apply(changes)
      return proof === undefined ? [] : ['a proof comes unasked for']
    }
    if (this.state !== 'ready') return []
    const problems = problemsOf(proof, PROOF, 'proof')
    const { prev_seq: previous, seq, checksum, anchor } = isJson(proof) ? proof : {}
    if (anchor === true) problems.push('a change says that it is an anchor')
    const isRepeated = seq === this.seq && checksum === this.checksum
    if (isRepeated && problems.length === 0) return []
    if (previous !== this.seq || seq !== this.seq + 1)
      problems.push(`change ${previous} -> ${seq} does not continue ${this.seq}`)
    if (problems.length === 0) {
      this.#apply(changes)
      this.seq = Number(seq)
      this.checksum = pn1Checksum(this.bids, this.asks)
      if (checksum !== this.checksum) problems.push(`checksum of the change ${seq} is wrong`)
    }
    if (problems.length > 0) this.state = 'gated'
    return problems
  }

  /** Best first. */
  levels(side: Side): { price: string; size: string }[] {
    const sign = side === 'bids' ? -1 : 1
    return [...this[side]]
      .map(([price, size]) => ({ price, size }))
      .sort((a, b) => sign * (Number(a.price) - Number(b.price)))
  }

  get isCrossed(): boolean {
    const [bid] = this.levels('bids')
    const [ask] = this.levels('asks')
    return bid !== undefined && ask !== undefined && Number(bid.price) >= Number(ask.price)
  }

  #replace(message: Json): string[] {
    this.bids.clear()
    this.asks.clear()
    for (const side of ['bids', 'asks'] as const) this.#apply(readLevels(message, side))
    const problems: string[] = []
    for (const side of ['bids', 'asks'] as const) {
      const prices = readLevels(message, side).map(({ price }) => Number(price))
      const sorted = prices.toSorted((a, b) => (side === 'bids' ? b - a : a - b))
      if (prices.some((price, index) => price !== sorted[index]))
        problems.push(`${side} of a snapshot are not in order`)
    }
    return problems
  }

  #apply(changes: readonly LevelChange[]): void {
    for (const { side, price, size } of changes) {
      const [level, amount] = [canonicalDecimal(price) ?? price, canonicalDecimal(size) ?? size]
      if (amount === '0') this[side].delete(level)
      else this[side].set(level, amount)
    }
  }
}

/** The levels of one side of a message; it must have been checked. */
export const readLevels = (message: Json, side: Side): LevelChange[] =>
  (message[side] as { price: string; size: string }[]).map((level) => ({ side, ...level }))
