import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { closed, closedRow, described, optional, Wire } from '../events/message.js'
import { pascalCase } from '../http/schema-components.js'
import { namedObject } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'

/** A message of the sockets: what documents say of it, and its schema. */
export type DescribedMessage<Schema extends TSchema = TSchema> = {
  title: string
  summary: string
  schema: Schema
}

export const describeMessage = <Schema extends TSchema>(
  title: string,
  summary: string,
  schema: Schema,
): DescribedMessage<Schema> => ({ title, summary, schema })

/** Why a message was not taken, or why the connection ends, on both sockets. */
const SOCKET_ERRORS = {
  invalid_json: 'the frame is not JSON text',
  invalid_message: 'an unknown `action`, or a field is missing',
  input_too_large: 'too many identifiers or items in one message',
  firehose_limit: 'more unfiltered connections than the plan allows',
  unavailable: 'the service could not do it now; the client may try again',
  work_limit:
    'the account has used up its share of the time of the service while others work; see `retry_after_ms`',
  rate_limited: 'too many messages; a client that goes on is closed with 1008',
  unauthorized: 'the key is missing or unknown; then 4401',
  forbidden: 'the key is inactive; then 4403',
  connection_limit: 'the account has all connections of its plan; then 4429',
  session_limit: 'the hour of the free plan is used up until 00:00 UTC; then 4429',
  invalid_compress_option: '`compress` is not `zlib`; then the connection ends',
  internal_error: 'a fault of the service; then 1011',
} as const

/** Why a message about events was not taken. */
export const STREAM_ERRORS = {
  ...SOCKET_ERRORS,
  replay_limit: 'the replay is longer than the plan allows; see `max`, in hours; then 4429',
  invalid_by_subscription_option: '`by_subscription` is neither 0 nor 1; then the connection ends',
  invalid_filter: 'a filter has a wrong type or value, or an unknown feed',
  unknown_type: 'no preset has this `type`',
  unknown_subscription: 'the connection has no subscription with this id',
  unresolved_slugs: 'none of the slugs is in the catalogue',
  unresolved_condition_ids: 'none of the condition ids is in the catalogue',
  filter_limit: 'more filter items than the plan allows',
  subscription_limit: 'more subscriptions than a connection may have',
} as const
export type StreamError = keyof typeof STREAM_ERRORS

/** Why a message about books was not taken. */
export const BOOK_ERRORS = {
  ...SOCKET_ERRORS,
  token_limit: 'more than 15,000 tokens on the connection',
  service_warming_up: 'the catalogue is being loaded; try again',
  service_capacity: 'the account has its share of the books that the service can follow',
  invalid_integrity_option: '`integrity` is neither 0 nor 1',
  integrity_unavailable: 'integrity mode is not available',
  integrity_firehose_unsupported: 'integrity mode takes explicit lists only',
  integrity_capacity: 'more tokens than integrity mode takes, or than the share of the account',
  resync_resolved_empty: 'no book of the resync is known',
  resync_not_subscribed: 'a book of the resync is not in the set of the connection',
  resync_in_progress: 'an earlier resync is not done; see `retry_after_ms`',
  integrity_backpressure: 'the client reads too slowly; then the connection ends',
  integrity_internal_reset: 'the service lost its place; then the connection ends',
} as const
export type BookError = keyof typeof BOOK_ERRORS

/** What errors say besides their code. */
const ERROR_FIELDS = optional({
  max: Type.Integer({ minimum: 0, description: 'The limit' }),
  requested: Type.Integer({ minimum: 0, description: 'How much was asked for' }),
  retry_after_ms: Type.Integer({ minimum: 0, description: 'When to try again' }),
  markets: Type.Array(Type.String(), { description: 'The books that it is about' }),
})

const Ms = Type.Integer({ description: 'Unix milliseconds' })
const Count = Type.Integer({ minimum: 0 })
const SubscriberId = Type.String({ description: 'A UUID, one for each connection' })
const SubscriptionId = Type.String({ description: '`<subscriber_id>:<n>`, counted from 1' })

const SubscriptionNumber = Type.Integer({
  minimum: 1,
  description: 'With `by_subscription=1`: the number after the colon of its `subscription_id`',
})
const AnyEvent = namedObject('ReplayedEvent', { type: Type.String() })

const message = <const Name extends string, Fields extends TProperties>(type: Name, fields: Fields) =>
  Type.Object({ type: Type.Literal(type), ...fields })

/** What the service answers on the event socket, and what it says by itself. */
export const CONTROL_MESSAGES = {
  subscribed: describeMessage(
    'Subscribed',
    'Acknowledges a subscribe. Replay comes behind it, then live events.',
    message('subscribed', {
      subscriber_id: SubscriberId,
      subscription_id: SubscriptionId,
      subscription_type: Type.String(),
      warnings: Type.Array(Type.String(), {
        description: 'Slugs and condition ids that were not found, values that were capped',
      }),
      resume_seq: Type.Integer({
        minimum: 0,
        description:
          'The number that the stream is at: a client that lost the connection before the first event resumes with it',
      }),
      resume_seq_of: Type.Union([Type.Literal('chain'), Type.Literal('prices'), Type.Literal('scores')], {
        description:
          'What is numbered so: events of the chain, coin prices or scores. `since_seq` is in this numbering',
      }),
      ...optional({
        resume: Type.Union([Type.Literal('exact'), Type.Literal('confirmed'), Type.Literal('gap')], {
          description:
            'Answers `since_seq`. `exact`: nothing is missing. `confirmed`: the service was restarted; ' +
            'pending events may be missing, confirmed ones are not. `gap`: it does not reach back so far',
        }),
        price_source: Type.String({ description: 'Coin prices: what is sent' }),
        twap_windows: nullable(Type.Array(Type.Integer())),
      }),
    }),
  ),
  snapshot: describeMessage(
    'Snapshot',
    'The replay of a subscription, oldest first. Fills are replayed as messages of their own.',
    message('snapshot', {
      subscription: Type.Optional(SubscriptionNumber),
      count: Count,
      events: Type.Array(AnyEvent, { description: 'Event messages as they were sent live' }),
    }),
  ),
  subscription_event: describeMessage(
    'Event of a subscription',
    'With `by_subscription=1`: an event, and the subscription that it is for. One that several match comes once for each.',
    message('subscription_event', { subscription: SubscriptionNumber, event: AnyEvent }),
  ),
  unsubscribed: describeMessage(
    'Unsubscribed',
    'Acknowledges an unsubscribe.',
    message('unsubscribed', {
      subscriber_id: SubscriberId,
      subscription_id: Type.Optional(SubscriptionId),
    }),
  ),
  heartbeat: describeMessage(
    'Heartbeat',
    'Every 30 seconds, together with a WebSocket ping.',
    message('heartbeat', { ts: Ms }),
  ),
  pong: describeMessage('Pong', 'Answers a ping.', message('pong', { ts: Ms })),
  error: describeMessage(
    'Error',
    'A message was not taken, or the connection ends. Answers come in the order of the messages.',
    message('error', {
      code: Type.String({ enum: Object.keys({ ...STREAM_ERRORS, ...BOOK_ERRORS }) }),
      message: Type.String(),
      ...ERROR_FIELDS,
    }),
  ),
}

const PLAYED = { from: described(Ms, 'beginning of the range'), to: described(Ms, 'end of the range') }

/** What the service sends on the socket of replays alone. */
export const REPLAY_MESSAGES = {
  replay_state: describeMessage(
    'State of the replay',
    'When the replay begins, and in answer to `pause`, `resume` and `seek`.',
    message('replay_state', {
      state: Type.Union([Type.Literal('playing'), Type.Literal('paused'), Type.Literal('ended')]),
      at: described(Ms, 'the time of the replay'),
      recorded_from: nullable(Ms, 'since when events are kept: what was published before is not replayed'),
    }),
  ),
  replay_end: describeMessage(
    'End of the replay',
    'Everything of the range was sent. The service closes the connection.',
    message('replay_end', {
      ...PLAYED,
      events: described(Count, 'messages of events that were sent'),
      by_type: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
        description: 'the same by event type',
      }),
    }),
  ),
}
export type ReplayStateMessage = Static<typeof REPLAY_MESSAGES.replay_state.schema>
export type ReplayEndMessage = Static<typeof REPLAY_MESSAGES.replay_end.schema>
export type SubscribedMessage = Static<typeof CONTROL_MESSAGES.subscribed.schema>

/** The schema of a message about books, under the name that generated clients give it. */
const bookMessage = <const Name extends string, Fields extends TProperties>(type: Name, fields: Fields) =>
  closedRow(`${pascalCase(type)}Message`, { type: Type.Literal(type), ...fields })

const Decimal = Type.String({ pattern: '^[0-9]*\\.?[0-9]*$', description: 'A decimal number' })
const Level = closedRow('BookLevel', { price: Decimal, size: Decimal })
const Levels = Type.Array(Level, { description: 'Best first' })
const Side = Type.Union([Type.Literal('BUY'), Type.Literal('SELL')], {
  description: '`BUY` is a bid, `SELL` an ask',
})

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
const BookSnapshot = bookMessage('book_snapshot', {
  asset_id: Wire.TokenId,
  ...MARKET,
  condition_id: Type.Optional(Type.String()),
  bids: Levels,
  asks: Levels,
  integrity: Type.Optional(Anchor),
})

/** Sizes of some levels; `"0"` removes one. */
const BookUpdate = bookMessage('book_update', {
  asset_id: Wire.TokenId,
  ...MARKET,
  bids: Levels,
  asks: Levels,
  integrity: Type.Optional(Proof),
})

/** The size of one level for each of the assets; `"0"` removes it. */
const PriceChange = bookMessage('price_change', {
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
const LastTradePrice = bookMessage('last_trade_price', {
  asset_id: Wire.TokenId,
  ...MARKET,
  price: Decimal,
  size: Decimal,
  side: Side,
  fee_rate_bps: Type.String(),
  timestamp: Type.String({ description: 'Unix milliseconds' }),
})

/** What the service sends about books, on either socket. */
export const BOOK_MESSAGES = {
  books_subscribed: describeMessage(
    'Books subscribed',
    'Acknowledges a subscribe. A snapshot of every acknowledged token follows, empty books too.',
    bookMessage('subscribed', {
      markets: Type.Integer({ minimum: 0, description: 'Tokens that the list resolved to' }),
      ...optional({
        resolved_from: closed({ token_ids: Count, slugs: Count, condition_ids: Count }),
        firehose: Type.Literal(true),
        integrity: closed({ enabled: Type.Literal(true), protocol: Type.Literal('pn1') }),
        warnings: Type.Array(Type.String(), {
          description: 'What was not found; on `*`: how many books of open markets are not followed',
        }),
        subscriber_id: Type.String(),
        subscription_id: Type.String(),
        subscription_type: Type.Literal('orderbook'),
      }),
    }),
  ),
  snapshot_batch: describeMessage(
    'Snapshots of books',
    'Some of these books.',
    bookMessage('snapshot_batch', {
      count: Count,
      total_sent: Count,
      snapshots: Type.Array(BookSnapshot),
    }),
  ),
  snapshots_done: describeMessage(
    'Snapshots done',
    'All books of the subscribe, or of the resync, were sent.',
    bookMessage('snapshots_done', {
      total: Count,
      ...optional({ reason: Type.Literal('resync'), markets: Type.Array(Wire.TokenId) }),
    }),
  ),
  batch: describeMessage(
    'Batch',
    'What changed within 250 milliseconds.',
    bookMessage('batch', {
      ts: Ms,
      count: Count,
      updates: Type.Array(Type.Union([PriceChange, BookUpdate, BookSnapshot, LastTradePrice])),
    }),
  ),
  stale: describeMessage(
    'Stale',
    'Whether the book of a token may be trusted: told when its upstream goes quiet or loses continuity, and when it is good again. ' +
      'With the reason `capacity` the books have left the set of the connection, because an account below its share needed the places.',
    bookMessage('stale', {
      stale: Type.Boolean(),
      markets: Type.Array(Wire.TokenId),
      reason: Type.Optional(Type.String({ description: 'Why they are stale' })),
      ts: Ms,
    }),
  ),
  not_followed: describeMessage(
    'Not followed',
    'All books (`*`): this many books of open markets are not followed, because the places are used. Sent when the number changes.',
    bookMessage('not_followed', { count: Count, ts: Ms }),
  ),
  books_unsubscribed: describeMessage(
    'Books unsubscribed',
    'Acknowledges an unsubscribe.',
    message('unsubscribed', {}),
  ),
}

/** What only the orderbook socket sends; the first two in integrity mode. */
export const ORDERBOOK_SOCKET_MESSAGES = {
  book_snapshot: describeMessage(
    'Anchor of a book',
    'Integrity mode: a whole book with its number and checksum.',
    BookSnapshot,
  ),
  resyncing: describeMessage(
    'Resyncing',
    'Integrity mode: new anchors follow.',
    bookMessage('resyncing', { markets: Type.Array(Wire.TokenId) }),
  ),
  book_error: describeMessage(
    'Error of the orderbook socket',
    'A message was not taken, or the connection ends.',
    Type.Object({
      error: Type.String({ enum: Object.keys(BOOK_ERRORS) }),
      message: Type.String(),
      ...ERROR_FIELDS,
      ...optional({ type: Type.Literal('error'), code: Type.String() }),
    }),
  ),
  books_pong: describeMessage('Pong of the orderbook socket', 'Answers a ping.', bookMessage('pong', {})),
}
