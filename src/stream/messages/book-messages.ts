import { type TProperties, Type } from 'typebox'
import { closed, closedRow, optional, Wire } from '../../events/message.js'
import { pascalCase } from '../../http/schema-components.js'

/** Why a message was not taken, or why the connection ends, on both sockets. */
export const SOCKET_ERRORS = {
  invalid_json: 'the frame is not JSON text',
  invalid_message: 'an unknown `action`, or a field is missing',
  firehose_limit: 'more unfiltered connections than the plan allows',
  unavailable: 'the service could not do it now; the client may try again',
  rate_limited: 'too many messages; a client that goes on is closed with 1008',
  unauthorized: 'the key is missing or unknown; then 4401',
  forbidden: 'the key is inactive; then 4403',
  connection_limit: 'the account has all connections of its plan; then 4429',
  session_limit: 'the hour of the free plan is used up until 00:00 UTC; then 4429',
  invalid_compress_option: '`compress` is not `zlib`; then the connection ends',
  internal_error: 'a fault of the service; then 1011',
} as const

/** Why a message about books was not taken. */
export const BOOK_ERRORS = {
  ...SOCKET_ERRORS,
  token_limit: 'more than 15,000 tokens on the connection',
  input_too_large: 'too many identifiers in one message',
  service_warming_up: 'the catalogue is being loaded; try again',
  service_capacity: 'the service follows as many books as it can; try again',
  invalid_integrity_option: '`integrity` is neither 0 nor 1',
  integrity_unavailable: 'integrity mode is not available',
  integrity_firehose_unsupported: 'integrity mode takes explicit lists only',
  integrity_capacity: 'more tokens than integrity mode takes',
  resync_resolved_empty: 'no book of the resync is known',
  resync_not_subscribed: 'a book of the resync is not in the set of the connection',
  resync_in_progress: 'an earlier resync is not done; see `retry_after_ms`',
  integrity_backpressure: 'the client reads too slowly; then the connection ends',
  integrity_internal_reset: 'the service lost its place; then the connection ends',
} as const
export type BookError = keyof typeof BOOK_ERRORS

const message = <const Name extends string, Fields extends TProperties>(type: Name, fields: Fields) =>
  closedRow(`${pascalCase(type)}Message`, { type: Type.Literal(type), ...fields })

const Decimal = Type.String({ pattern: '^[0-9]*\\.?[0-9]*$', description: 'A decimal number' })
const Level = closedRow('BookLevel', { price: Decimal, size: Decimal })
const Levels = Type.Array(Level, { description: 'Best first' })
const Side = Type.Union([Type.Literal('BUY'), Type.Literal('SELL')], {
  description: '`BUY` is a bid, `SELL` an ask',
})
const Count = Type.Integer({ minimum: 0 })
const Ms = Type.Integer({ description: 'Unix milliseconds' })

/** The market of a book, as far as the catalogue has it. */
const MARKET = {
  market: Type.String({ description: 'Condition id' }),
  ...optional({
    event_title: Type.String(),
    question: Type.String(),
    outcome: Type.String(),
    slug: Type.String({ description: 'Event slug' }),
  }),
}

const Checksum = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Anchor = closedRow('BookAnchor', {
  protocol: Type.Literal('pn1'),
  anchor: Type.Literal(true),
  seq: Wire.Count,
  checksum: Checksum,
})
const Proof = closedRow('BookProof', {
  protocol: Type.Literal('pn1'),
  prev_seq: Wire.Count,
  seq: Wire.Count,
  checksum: Checksum,
})

/** A whole book: it replaces what the client has. */
export const BookSnapshotMessage = message('book_snapshot', {
  asset_id: Wire.TokenId,
  ...MARKET,
  condition_id: Type.Optional(Type.String()),
  bids: Levels,
  asks: Levels,
  integrity: Type.Optional(Anchor),
})

/** Sizes of some levels; `"0"` removes one. */
const BookUpdate = message('book_update', {
  asset_id: Wire.TokenId,
  ...MARKET,
  bids: Levels,
  asks: Levels,
  integrity: Type.Optional(Proof),
})

/** The size of one level for each of the assets; `"0"` removes it. */
const PriceChange = message('price_change', {
  asset_id: Type.Optional(Wire.TokenId),
  ...MARKET,
  assets: Type.Array(
    closedRow('PriceChangeAsset', {
      asset_id: Wire.TokenId,
      outcome: Type.Optional(Type.String()),
      price: Decimal,
      size: Decimal,
      side: Side,
      ...optional({ best_bid: Decimal, best_ask: Decimal }),
    }),
  ),
  integrity: Type.Optional(Proof),
})

/** A trade. It does not change the book. */
const LastTradePrice = message('last_trade_price', {
  asset_id: Wire.TokenId,
  ...MARKET,
  price: Decimal,
  size: Decimal,
  side: Side,
  fee_rate_bps: Type.String(),
  timestamp: Type.String({ description: 'Unix milliseconds' }),
})

/** Answers a subscribe. A snapshot of each of the `markets` follows, then `snapshots_done`. */
export const BooksSubscribedMessage = message('subscribed', {
  markets: Type.Integer({ minimum: 0, description: 'Tokens that the list resolved to' }),
  ...optional({
    resolved_from: closed({ token_ids: Count, slugs: Count, condition_ids: Count }),
    firehose: Type.Literal(true),
    integrity: closed({ enabled: Type.Literal(true), protocol: Type.Literal('pn1') }),
    warnings: Type.Array(Type.String()),
    subscriber_id: Type.String(),
    subscription_id: Type.String(),
    subscription_type: Type.Literal('orderbook'),
  }),
})

/** Some of the books that a subscribe asked for. */
export const SnapshotBatchMessage = message('snapshot_batch', {
  count: Count,
  total_sent: Count,
  snapshots: Type.Array(BookSnapshotMessage),
})

/** All books were sent. */
export const SnapshotsDoneMessage = message('snapshots_done', {
  total: Count,
  ...optional({ reason: Type.Literal('resync'), markets: Type.Array(Wire.TokenId) }),
})

/** What changed in the last 250 milliseconds. */
export const BatchMessage = message('batch', {
  ts: Ms,
  count: Count,
  updates: Type.Array(Type.Union([PriceChange, BookUpdate, BookSnapshotMessage, LastTradePrice])),
})

/** Integrity mode: new anchors of these books follow. */
export const ResyncingMessage = message('resyncing', { markets: Type.Array(Wire.TokenId) })

/**
 * Whether the client may trust these books. `stale` true: they may be wrong, and do not change; false:
 * they are right again, and were sent again before this.
 */
export const StaleMessage = message('stale', {
  stale: Type.Boolean(),
  markets: Type.Array(Wire.TokenId),
  reason: Type.Optional(Type.String({ description: 'Why they are stale' })),
  ts: Ms,
})

export const BooksUnsubscribedMessage = Type.Object({ type: Type.Literal('unsubscribed') })
export const BooksPongMessage = message('pong', {})

/** What errors say besides their code. */
export const ERROR_FIELDS = optional({
  max: Type.Integer({ minimum: 0, description: 'The limit' }),
  requested: Type.Integer({ minimum: 0, description: 'How much was asked for' }),
  retry_after_ms: Type.Integer({ minimum: 0, description: 'When to try again' }),
  markets: Type.Array(Type.String(), { description: 'The books that it is about' }),
})

/** Answers a message that was not taken, on the orderbook socket. */
export const BookErrorMessage = Type.Object({
  error: Type.String({ enum: Object.keys(BOOK_ERRORS) }),
  message: Type.String(),
  ...ERROR_FIELDS,
  ...optional({ type: Type.Literal('error'), code: Type.String() }),
})
