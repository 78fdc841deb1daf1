import type { TSchema } from 'typebox'
import { MESSAGES } from '../../events/registry.js'
import {
  BatchMessage,
  BookErrorMessage,
  BookSnapshotMessage,
  BooksPongMessage,
  BooksSubscribedMessage,
  BooksUnsubscribedMessage,
  ResyncingMessage,
  SnapshotBatchMessage,
  SnapshotsDoneMessage,
  StaleMessage,
} from '../messages/book-messages.js'
import {
  PingMessage,
  ResyncMessage,
  SubscribeBooksMessage,
  SubscribeMessage,
  UnsubscribeBooksMessage,
  UnsubscribeMessage,
} from '../messages/client-messages.js'
import {
  ErrorMessage,
  HeartbeatMessage,
  PongMessage,
  SnapshotMessage,
  SubscribedMessage,
  UnsubscribedMessage,
} from '../messages/control-messages.js'

/** A message of the document: what it says, and the schema that it has. */
export type DescribedMessage = { title: string; summary: string; schema: TSchema }

type MessageTable = { readonly [name: string]: DescribedMessage }

const describe = (title: string, schema: TSchema, summary: string): DescribedMessage => ({
  title,
  summary,
  schema,
})

/** What clients send on the event socket, beside the messages about books. */
export const CLIENT_MESSAGES = {
  subscribe: describe(
    'Subscribe',
    SubscribeMessage,
    'Makes a subscription. They stack: each is independent, and an event that several match is sent once.',
  ),
  unsubscribe: describe('Unsubscribe', UnsubscribeMessage, 'Ends one subscription, or all.'),
  ping: describe('Ping', PingMessage, 'Asks whether the connection is alive.'),
} satisfies MessageTable

/** What clients send about books, on either socket. */
export const BOOK_CLIENT_MESSAGES = {
  subscribe_books: describe(
    'Subscribe to books',
    SubscribeBooksMessage,
    'Follows these books in place of those before. A list that resolves to nothing changes nothing.',
  ),
  unsubscribe_books: describe(
    'Unsubscribe from books',
    UnsubscribeBooksMessage,
    'Ends the named books, or all.',
  ),
} satisfies MessageTable

/** What clients send in integrity mode. */
export const INTEGRITY_CLIENT_MESSAGES = {
  resync: describe('Resync', ResyncMessage, 'Integrity mode: asks for new anchors.'),
} satisfies MessageTable

/** What the service answers on the event socket, and what it says by itself. */
export const CONTROL_MESSAGES = {
  subscribed: describe(
    'Subscribed',
    SubscribedMessage,
    'Acknowledges a subscribe. Replay comes behind it, then live events.',
  ),
  snapshot: describe(
    'Snapshot',
    SnapshotMessage,
    'The replay of a subscription, oldest first. Fills are replayed as messages of their own.',
  ),
  unsubscribed: describe('Unsubscribed', UnsubscribedMessage, 'Acknowledges an unsubscribe.'),
  heartbeat: describe('Heartbeat', HeartbeatMessage, 'Every 30 seconds, together with a WebSocket ping.'),
  pong: describe('Pong', PongMessage, 'Answers a ping.'),
  error: describe(
    'Error',
    ErrorMessage,
    'A message was not taken, or the connection ends. Answers come in the order of the messages.',
  ),
} satisfies MessageTable

/** What the service sends about books, on either socket. */
export const BOOK_MESSAGES = {
  books_subscribed: describe(
    'Books subscribed',
    BooksSubscribedMessage,
    'Acknowledges a subscribe. A snapshot of every acknowledged token follows, empty books too.',
  ),
  snapshot_batch: describe('Snapshots of books', SnapshotBatchMessage, 'Some of these books.'),
  snapshots_done: describe(
    'Snapshots done',
    SnapshotsDoneMessage,
    'All books of the subscribe, or of the resync, were sent.',
  ),
  batch: describe('Batch', BatchMessage, 'What changed within 250 milliseconds.'),
  stale: describe(
    'Stale',
    StaleMessage,
    'Whether the book of a token may be trusted: told when its upstream goes quiet or loses continuity, and when it is good again.',
  ),
  books_unsubscribed: describe(
    'Books unsubscribed',
    BooksUnsubscribedMessage,
    'Acknowledges an unsubscribe.',
  ),
} satisfies MessageTable

/** What only the orderbook socket sends; the first two in integrity mode. */
export const ORDERBOOK_SOCKET_MESSAGES = {
  book_snapshot: describe(
    'Anchor of a book',
    BookSnapshotMessage,
    'Integrity mode: a whole book with its number and checksum.',
  ),
  resyncing: describe('Resyncing', ResyncingMessage, 'Integrity mode: new anchors follow.'),
  book_error: describe(
    'Error of the orderbook socket',
    BookErrorMessage,
    'A message was not taken, or the connection ends.',
  ),
  books_pong: describe('Pong of the orderbook socket', BooksPongMessage, 'Answers a ping.'),
} satisfies MessageTable

/** What each event says. A new event type needs a line here. */
const EVENT_SUMMARIES: { readonly [type: string]: string } = {
  settlement: 'A match was detected: pending in the mempool, or in a block if no node showed it before.',
  fill: 'The part of one order in a detected match, always with the same 16 fields. Its `type` is `event`.',
  status_update: 'A match is in a block: when it was detected, and its confirmed fills.',
  trade: 'One fill of a block, as its log has it.',
  position_change: 'Outcome tokens moved between wallets outside of a match.',
  position_split: 'Money became a full set of outcome tokens.',
  position_merge: 'A full set of outcome tokens became money.',
  positions_converted: 'NO tokens of a neg-risk market became money and YES tokens of the others.',
  redemption: 'Tokens of a resolved condition became money, by the wallet or automatically.',
  deposit: 'Money came to or left the platform.',
  oracle: 'A step of the resolution of a condition, from the first proposal to the result.',
  block: 'What a block had in it, behind all events of the block.',
  combo_execution: 'A match of combos was detected.',
  combo_status_update: 'A match of combos is in a block, or was reverted.',
  combo_lifecycle: 'A combo was prepared, split, merged, converted, redeemed, wrapped or moved.',
  combo_approval: 'A wallet let a contract of combos move its tokens or money, or took that back.',
  reorg: 'The node replaced blocks: everything from the named block on was taken back.',
  score_update: 'The state of a game changed: its score, its period, its clock, or that it is over.',
  price_feed: 'The price of a coin, once a second: spot, or a mean over 30 or 60 seconds.',
}

/** Every event message, by event type. */
export const EVENT_MESSAGES: MessageTable = Object.fromEntries(
  [...MESSAGES.values()].map(({ type, schema }) => [
    type,
    describe(type, schema, EVENT_SUMMARIES[type] ?? ''),
  ]),
)
