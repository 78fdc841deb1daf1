import { toTradeRow } from '../markets/trade-row.js'
import type { Match } from '../universe/acts.js'
import type { Block, Transaction } from '../universe/block.js'
import type { RtdsMessage } from './rtds-client.js'

/** How long after the match each type of message goes out. */
const DELAYS_MS = { orders_matched: 1_900, trades: 2_100 }
/** The block comes about three seconds after the match, and trades are stamped a second before it. */
const STAMP_DELAY_MS = 2_000

type ActivityType = keyof typeof DELAYS_MS
type Matched = { tx: Transaction; match: Match }

/** Keeps matches until their messages are due. */
export class ActivityFeed {
  readonly #waiting: { [Type in ActivityType]: Matched[] } = { orders_matched: [], trades: [] }

  /** Hashes of matches that were added and whose block is still to come. */
  readonly #addedHashes = new Set<string>()

  add(tx: Transaction, match: Match): void {
    this.#addedHashes.add(tx.hash)
    this.#wait(tx, match)
  }

  /** Adds the matches of a block that were not added before it: a reorganisation brings such blocks. */
  addMissing({ transactions }: Block): void {
    for (const tx of transactions) {
      const { act } = tx
      if (act.kind === 'match' && !this.#addedHashes.delete(tx.hash)) this.#wait(tx, act)
    }
  }

  /** Forgets matches whose blocks will not come, because a reorganisation replaced them. */
  forgetAdded(): void {
    this.#addedHashes.clear()
  }

  /** What is due by that moment, and due no more afterwards. */
  take(atMs: number): RtdsMessage[] {
    return [...this.#takeType('orders_matched', atMs), ...this.#takeType('trades', atMs)]
  }

  #wait(tx: Transaction, match: Match): void {
    this.#waiting.orders_matched.push({ tx, match })
    this.#waiting.trades.push({ tx, match })
  }

  #takeType(type: ActivityType, atMs: number): RtdsMessage[] {
    const waiting = this.#waiting[type]
    const isDue = ({ match }: Matched) => match.matchedMs + DELAYS_MS[type] <= atMs
    const due = waiting.filter(isDue)
    this.#waiting[type] = waiting.filter((matched) => !isDue(matched))
    return due.flatMap((matched) => showMatch(type, atMs, matched))
  }
}

/** One message for the taker's order and one for each that it met. */
function showMatch(type: ActivityType, atMs: number, { tx, match }: Matched): RtdsMessage[] {
  const stampSec = Math.floor((match.matchedMs + STAMP_DELAY_MS) / 1000)
  return [match.taker, ...match.makers].map((fill) => {
    const { profileImageOptimized: _, ...payload } = toTradeRow(fill, tx.hash, stampSec)
    const { eventSlug, slug } = payload
    const filters = [JSON.stringify({ event_slug: eventSlug }), JSON.stringify({ market_slug: slug })]
    return { topic: 'activity', type, timestamp: atMs, payload, filters }
  })
}
