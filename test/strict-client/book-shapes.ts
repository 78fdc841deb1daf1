import {
  anyObject,
  decimal,
  digits,
  type Fields,
  int,
  type Json,
  list,
  loose,
  ms,
  object,
  oneOf,
  optional,
  type Shape,
  text,
} from './shape.js'

const LEVELS = list(object({ price: decimal, size: decimal }))
const NAMES = loose({ event_title: text, question: text, outcome: text, slug: text })
const SIDE = oneOf('BUY', 'SELL')

const CHANGE_ROW_FIELDS: Fields = {
  asset_id: digits,
  price: decimal,
  ...optional({ size: decimal, side: SIDE }),
  ...loose({ outcome: text, best_bid: decimal, best_ask: decimal }),
}

/** Size and side come together or not at all. */
const CHANGE_ROW: Shape = (value, path, problems) => {
  object(CHANGE_ROW_FIELDS)(value, path, problems)
  const { size, side } = (value ?? {}) as Json
  if ((size === undefined) !== (side === undefined))
    problems.push(`${path} must have both size and side, or neither`)
}

/** What a client reads of each message about a book, by type. */
export const BOOK_SHAPES: ReadonlyMap<string, Shape> = new Map([
  [
    'book_snapshot',
    object({
      asset_id: digits,
      market: text,
      bids: LEVELS,
      asks: LEVELS,
      ...loose({ condition_id: text }),
      ...NAMES,
    }),
  ],
  ['book_update', object({ asset_id: digits, market: text, bids: LEVELS, asks: LEVELS, ...NAMES })],
  ['price_change', object({ market: text, assets: list(CHANGE_ROW), ...NAMES })],
  [
    'last_trade_price',
    object({
      asset_id: digits,
      market: text,
      price: decimal,
      size: decimal,
      side: SIDE,
      fee_rate_bps: decimal,
      timestamp: digits,
      ...NAMES,
    }),
  ],
])

/** What a client reads of each message about the subscription, by type. */
export const ENVELOPE_SHAPES: ReadonlyMap<string, Shape> = new Map([
  ['snapshot_batch', object({ count: int, total_sent: int, snapshots: list(anyObject) })],
  ['snapshots_done', object({ total: int, ...optional({ markets: list(text), reason: text }) })],
  ['batch', object({ ts: ms, count: int, updates: list(anyObject) })],
  ['resyncing', object({ markets: list(text) })],
  ['unsubscribed', object({})],
  ['pong', object({})],
])

export const BOOK_ACK = object({ markets: int })

/** Of an anchor, and of a change. */
export const ANCHOR = object({ protocol: oneOf('pn1'), seq: int, checksum: text })
export const PROOF = object({ protocol: oneOf('pn1'), prev_seq: int, seq: int, checksum: text })
