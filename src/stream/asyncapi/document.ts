import { readFileSync } from 'node:fs'
import { type TProperties, Type } from 'typebox'
import { optional } from '../../events/message.js'
import { type EventExample, MESSAGES, readEventExamples } from '../../events/registry.js'
import { type JsonSchema, pascalCase, SchemaComponents } from '../../http/schema-components.js'
import { VERSION } from '../../lib/version.js'
import { describeActionCost } from '../action-costs.js'
import {
  BOOK_MESSAGES,
  CONTROL_MESSAGES,
  type DescribedMessage,
  describeMessage,
  ORDERBOOK_SOCKET_MESSAGES,
  REPLAY_MESSAGES,
} from '../messages.js'
import { SUBSCRIBE_FIELDS } from '../subscriptions/filter-rules.js'

/** An AsyncAPI 3 document. */
export type AsyncApiDocument = ReturnType<typeof describeStreams> & {
  components: { schemas?: Record<string, JsonSchema> }
}
type Operation = ReturnType<typeof operate>
type QueryParameter = { type: 'string'; enum?: string[]; description: string }
type Messages = { readonly [name: string]: DescribedMessage }

const DESCRIPTION = `Live events of prediction markets, prices of coins and order books over WebSocket.

Connect with your key, send a \`subscribe\` and read: the acknowledgement comes first, then the replay,
then live events, without a gap or a repetition between them. Every live event has a \`seq\` that only
grows; a client that was cut off names the last one it saw in \`since_seq\` and misses nothing.`

const action = (name: string, fields: TProperties = {}) =>
  Type.Object({ action: Type.Literal(name), ...fields })

/** What clients send on the event socket, beside the messages about books. */
const CLIENT_MESSAGES = {
  subscribe: describeMessage(
    'Subscribe',
    'Makes a subscription. They stack: each is independent, and an event that several match is sent once.',
    action('subscribe', SUBSCRIBE_FIELDS),
  ),
  unsubscribe: describeMessage(
    'Unsubscribe',
    'Ends one subscription, or all.',
    action('unsubscribe', {
      subscription_id: Type.Optional(
        Type.String({ description: 'From the acknowledgement; left out: all subscriptions' }),
      ),
    }),
  ),
  ping: describeMessage('Ping', 'Asks whether the connection is alive.', action('ping')),
}

const Identifiers = Type.Array(Type.String(), {
  description:
    'Token ids, condition ids (both tokens), event slugs (all their tokens), or `*` alone for all books',
})
const BOOKS = optional({
  type: Type.Literal('orderbook', { description: 'Needed on the event socket with `markets`' }),
  markets: Identifiers,
  token_ids: Identifiers,
})

/** What clients send about books, on either socket. */
const BOOK_CLIENT_MESSAGES = {
  subscribe_books: describeMessage(
    'Subscribe to books',
    'Follows these books in place of those before. A list that resolves to nothing changes nothing.',
    action('subscribe', BOOKS),
  ),
  unsubscribe_books: describeMessage(
    'Unsubscribe from books',
    'Ends the named books, or all.',
    action('unsubscribe', BOOKS),
  ),
}

const EVENT_MESSAGES: Messages = Object.fromEntries(
  Array.from(MESSAGES.values(), ({ type, summary, schema }) => [
    type,
    describeMessage(type, summary, schema),
  ]),
)

const EVENT_SOCKET: Messages = {
  ...CLIENT_MESSAGES,
  ...BOOK_CLIENT_MESSAGES,
  ...CONTROL_MESSAGES,
  ...EVENT_MESSAGES,
  ...BOOK_MESSAGES,
}
const ORDERBOOK_SOCKET: Messages = {
  ...BOOK_CLIENT_MESSAGES,
  resync: describeMessage(
    'Resync',
    'Integrity mode: asks for new anchors.',
    action('resync', optional({ markets: Identifiers })),
  ),
  ping: CLIENT_MESSAGES.ping,
  ...BOOK_MESSAGES,
  ...ORDERBOOK_SOCKET_MESSAGES,
}

/** What clients say about a replay itself. */
const REPLAY_CLIENT_MESSAGES = {
  pause: describeMessage('Pause', 'The time of the replay stands still.', action('pause')),
  resume: describeMessage('Resume', 'The replay goes on.', action('resume')),
  seek: describeMessage(
    'Seek',
    'The replay goes on at another time of its range, also an earlier one.',
    action('seek', {
      to: Type.Union([Type.Integer(), Type.String()], {
        description: 'Unix seconds or milliseconds, or as `2026-01-31T12:00:00Z`',
      }),
    }),
  ),
}

const REPLAY_SOCKET: Messages = {
  ...CLIENT_MESSAGES,
  ...BOOK_CLIENT_MESSAGES,
  ...REPLAY_CLIENT_MESSAGES,
  ...CONTROL_MESSAGES,
  ...REPLAY_MESSAGES,
  ...EVENT_MESSAGES,
  ...BOOK_MESSAGES,
}

const TIME = 'Unix seconds or milliseconds, or as `2026-01-31T12:00:00Z`'
const REPLAY_QUERY: Record<string, QueryParameter> = {
  from: { type: 'string', description: `Begin of the range: ${TIME}` },
  to: { type: 'string', description: `End of the range, not in the future: ${TIME}` },
  speed: {
    type: 'string',
    description:
      'How much faster than it happened, 1 to 100; `max`: as fast as the client reads. 1 unless given',
  },
  paused: {
    type: 'string',
    enum: ['0', '1'],
    description: '`1`: the replay waits for `resume`, so that no subscription misses its beginning',
  },
}

const KEY: QueryParameter = {
  type: 'string',
  description: 'The API key; the headers `x-api-key` and `Authorization: Bearer` are read too',
}
const COMPRESS: QueryParameter = {
  type: 'string',
  enum: ['zlib'],
  description: 'Live messages come as binary frames of raw deflate (RFC 1951), all others as text',
}
const BY_SUBSCRIPTION: QueryParameter = {
  type: 'string',
  enum: ['0', '1'],
  description:
    '`1`: every event comes in a `subscription_event`, which names the subscription that it is for',
}
const INTEGRITY: QueryParameter = {
  type: 'string',
  enum: ['0', '1'],
  description: '`1`: books carry numbers and checksums that prove them (PN1)',
}

/** The AsyncAPI document of the streams, from the schemas that the messages have. */
export function describeStreams() {
  const examples = collectExamples()
  const messages = { ...EVENT_SOCKET, ...ORDERBOOK_SOCKET, ...REPLAY_SOCKET }
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Auspex streams',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      service: {
        host: '{host}',
        protocol: 'ws',
        description: 'This service; `wss` behind a proxy that ends TLS',
        variables: { host: { default: '127.0.0.1:8080', description: 'Host and port' } },
        security: ['query', 'header', 'bearer'].map((name) => ({
          $ref: `#/components/securitySchemes/${name}`,
        })),
      },
    },
    channels: {
      events: describeChannel('/ws', EVENT_SOCKET, {
        title: 'Event socket',
        description: 'Events of the chain, prices of coins, and books with `type` `orderbook`.',
        query: { key: KEY, compress: COMPRESS, by_subscription: BY_SUBSCRIPTION },
      }),
      orderbook: describeChannel('/ws/orderbook', ORDERBOOK_SOCKET, {
        title: 'Orderbook socket',
        description: 'Books alone, counted apart from event sockets, with integrity mode.',
        query: { key: KEY, compress: COMPRESS, integrity: INTEGRITY },
      }),
      replay: describeChannel('/ws/replay', REPLAY_SOCKET, {
        title: 'Replay socket',
        description:
          'What live sockets were sent in a range of the past, in the same order, at a speed of choice.',
        query: { key: KEY, compress: COMPRESS, by_subscription: BY_SUBSCRIPTION, ...REPLAY_QUERY },
      }),
    },
    operations: nameOperations(describeOperations()),
    components: {
      messages: Object.fromEntries(
        Object.entries(messages).map(([name, { title, summary, schema }]) => [
          name,
          {
            name,
            title,
            summary,
            payload: schema,
            examples: examples[name] ?? [],
            'x-cost': describeActionCost(name),
          },
        ]),
      ),
      securitySchemes: {
        query: { type: 'httpApiKey', in: 'query', name: 'key' },
        header: { type: 'httpApiKey', in: 'header', name: 'x-api-key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}

/**
 * The document with its schemas as components, for generators: a message of `trade` has the schema `TradeMessage`,
 * and `EventsSocketMessage` is any message that the service sends on the channel `events`.
 */
export function nameSchemas(document: AsyncApiDocument): AsyncApiDocument {
  const schemas = new SchemaComponents()
  const messages = Object.entries(document.components.messages).map(([name, message]) => {
    const title = `${pascalCase(name)}Message`
    const payload: JsonSchema = JSON.parse(JSON.stringify(message.payload))
    return [name, { ...message, payload: schemas.refer({ ...payload, title }, title) }]
  })
  const components = { ...document.components, messages: Object.fromEntries(messages) }
  const received = Object.keys(document.channels).map((channel) => [
    `${pascalCase(channel)}SocketMessage`,
    { anyOf: listSent(document, channel).map((name) => components.messages[name].payload) },
  ])
  const named = { ...schemas.list(), ...Object.fromEntries(received) }
  return { ...document, components: { ...components, schemas: named } }
}

/** The messages that the service sends on a channel, by itself and in reply. */
function listSent({ operations }: AsyncApiDocument, channel: string): string[] {
  const prefix = `#/channels/${channel}/messages/`
  const references = Object.values(operations).flatMap(({ action, messages, reply }) => [
    ...(action === 'send' ? messages : []),
    ...(reply?.messages ?? []),
  ])
  const ofChannel = references.filter(({ $ref }) => $ref.startsWith(prefix))
  return [...new Set(ofChannel.map(({ $ref }) => $ref.slice(prefix.length)))]
}

function describeChannel(
  address: string,
  messages: Messages,
  about: { title: string; description: string; query: Record<string, QueryParameter> },
) {
  const { title, description, query: properties } = about
  const references = Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }])
  const query = { type: 'object', properties }
  return {
    address,
    title,
    description,
    messages: Object.fromEntries(references),
    bindings: { ws: { method: 'GET', query, bindingVersion: '0.1.0' } },
  }
}

/** An operation of the service: it receives what clients send, and replies or sends by itself. */
function operate(
  channel: string,
  action: 'send' | 'receive',
  summary: string,
  names: readonly string[],
  replies: readonly string[] = [],
) {
  const channelRef = { $ref: `#/channels/${channel}` }
  const refer = (name: string) => ({ $ref: `#/channels/${channel}/messages/${name}` })
  return {
    action,
    channel: channelRef,
    title: summary,
    summary,
    messages: names.map(refer),
    ...(replies.length > 0 && { reply: { channel: channelRef, messages: replies.map(refer) } }),
  }
}

const bookOperations = (channel: string, error: string, sent: readonly string[]) => [
  operate(channel, 'receive', 'Subscribe to books', ['subscribe_books'], ['books_subscribed', error]),
  operate(channel, 'receive', 'Unsubscribe from books', ['unsubscribe_books'], ['books_unsubscribed', error]),
  operate(channel, 'send', 'Books and their changes', sent),
]

const BOOKS_SENT = ['snapshot_batch', 'snapshots_done', 'batch', 'stale', 'not_followed']

const describeOperations = () => ({
  events: [
    operate('events', 'receive', 'Subscribe', ['subscribe'], ['subscribed', 'error']),
    operate('events', 'receive', 'Unsubscribe', ['unsubscribe'], ['unsubscribed', 'error']),
    operate('events', 'receive', 'Ping', ['ping'], ['pong']),
    operate('events', 'send', 'Replay', ['snapshot', 'fill']),
    operate('events', 'send', 'Live events', [...Object.keys(EVENT_MESSAGES), 'subscription_event']),
    operate('events', 'send', 'Heartbeat', ['heartbeat']),
    operate('events', 'send', 'Refuse and close', ['error']),
    ...bookOperations('events', 'error', BOOKS_SENT),
  ],
  orderbook: [
    ...bookOperations('orderbook', 'book_error', [...BOOKS_SENT, 'book_snapshot', 'resyncing']),
    operate('orderbook', 'send', 'Refuse and close', ['book_error']),
    operate('orderbook', 'receive', 'Resync', ['resync'], ['resyncing', 'book_error']),
    operate('orderbook', 'receive', 'Ping', ['ping'], ['books_pong']),
  ],
  replay: [
    operate('replay', 'receive', 'Subscribe', ['subscribe'], ['subscribed', 'error']),
    operate('replay', 'receive', 'Unsubscribe', ['unsubscribe'], ['unsubscribed', 'error']),
    operate('replay', 'receive', 'Ping', ['ping'], ['pong']),
    operate('replay', 'receive', 'Pause', ['pause'], ['replay_state', 'error']),
    operate('replay', 'receive', 'Resume', ['resume'], ['replay_state', 'error']),
    operate('replay', 'receive', 'Seek', ['seek'], ['replay_state', 'error']),
    operate('replay', 'send', 'Snapshots', ['snapshot', 'fill']),
    operate('replay', 'send', 'Events', [...Object.keys(EVENT_MESSAGES), 'subscription_event']),
    operate('replay', 'send', 'Heartbeat', ['heartbeat']),
    operate('replay', 'send', 'End', ['replay_end']),
    operate('replay', 'send', 'Refuse and close', ['error']),
    ...bookOperations('replay', 'error', BOOKS_SENT),
  ],
})

/** `events` and `Live events` make `events.liveEvents`. */
function nameOperations(byChannel: Record<string, Operation[]>): Record<string, Operation> {
  return Object.fromEntries(
    Object.entries(byChannel).flatMap(([channel, operations]) =>
      operations.map((operation) => [`${channel}.${camelCase(operation.title)}`, operation]),
    ),
  )
}

const camelCase = (words: string): string =>
  words.toLowerCase().replace(/ (\w)/g, (_match, letter: string) => letter.toUpperCase())

/** Of every message, by its name. Those of events are taken from the simulated chain. */
function collectExamples(): Record<string, readonly EventExample[] | undefined> {
  const events = readEventExamples()
  const replayed = events.trade.slice(0, 1).map(({ payload }) => payload)
  const snapshot = { type: 'snapshot', count: replayed.length, events: replayed }
  const file = new URL('./examples.json', import.meta.url)
  const control: Record<string, EventExample[]> = JSON.parse(readFileSync(file, 'utf8'))
  return {
    ...events,
    ...control,
    snapshot: [{ name: 'One event', payload: snapshot }, ...(control.snapshot ?? [])],
  }
}
