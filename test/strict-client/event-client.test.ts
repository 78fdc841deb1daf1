import { afterEach, describe, expect, test } from 'vitest'
import { until } from '../until.js'
import { StrictEventClient } from './event-client.js'
import { reasonToDrop } from './event-filter.js'
import { parseEvent, type StrictEvent } from './event-shapes.js'
import { openScriptedServer, type Peer, type ScriptedServer } from './scripted-server.js'
import type { Json } from './shape.js'

const WALLET = `0x${'ab'.repeat(20)}`
const HASH = `0x${'cd'.repeat(32)}`
const DAY_MS = 1_790_000_000_000

const trade = (changes: Json = {}, timestamp = DAY_MS) => ({
  type: 'trade',
  timestamp,
  seq: 7,
  data: {
    event_type: 'trade',
    tx_hash: HASH,
    block_number: 5,
    log_index: 3,
    timestamp,
    exchange: 'ctf_exchange',
    maker: WALLET,
    taker: WALLET,
    token_id: '77',
    side: 'BUY',
    price: 0.5,
    size: 10,
    maker_amount: '5000000',
    taker_amount: '10000000',
    fee: null,
    order_hash: HASH,
    market_slug: 'will-x',
    market_title: null,
    ...changes,
  },
})

const fill = (changes: Json = {}) => ({
  type: 'event',
  data: {
    order_hash: HASH,
    user: WALLET,
    taker: WALLET,
    tx_hash: HASH,
    side: 'BUY',
    price: 0.64,
    shares: 25_000_000,
    shares_normalized: 25,
    token_id: '7003',
    token_label: '',
    condition_id: '',
    market_slug: '',
    title: '',
    timestamp: DAY_MS / 1000,
    block_number: null,
    log_index: null,
    ...changes,
  },
})

const parsed = (frame: Json): StrictEvent => {
  const event = parseEvent(frame)
  return Array.isArray(event) ? expect.fail(event.join('\n')) : event
}

describe('a frame', () => {
  test.each<[string, Json, string]>([
    ['without a required field', trade({ order_hash: undefined }), 'order_hash must be'],
    ['with null in a required field', trade({ maker: null }), 'maker must be an address'],
    ['with a number as text', trade({ price: '0.5' }), 'price must be a number'],
    ['with an address in upper case', trade({ maker: WALLET.toUpperCase() }), 'maker must be'],
    ['of an exchange without a name', trade({ exchange: 'v3' }), 'exchange must be one of'],
    ['whose time is in seconds', { ...trade(), timestamp: 1_790_000_000 }, 'timestamp must be'],
    ['of an unknown event', { ...trade({ event_type: 'novelty' }) }, 'no event is called novelty'],
    ['of a fill without a label', fill({ token_label: null }), 'token_label must be a string'],
    ['of a fill with broken shares', fill({ shares: 1.5 }), 'shares must be an integer'],
  ])('%s is wrong', (_why, frame, problem) => {
    expect(parseEvent(frame)).toEqual([expect.stringContaining(problem)])
  })

  test('may have fields that the client does not know, and null in those of the market', () => {
    expect(parsed(trade({ novelty: 1, event_slug: null }))).toMatchObject({ type: 'trade' })
    expect(parsed(fill())).toMatchObject({ type: 'fill', timestamp: DAY_MS / 1000 })
  })

  test.each<[string, string, Json | undefined, string | undefined]>([
    ['another type', 'blocks', undefined, 'type'],
    ['the type', 'trades', undefined, undefined],
    ['chosen event types', 'blocks', { event_types: ['trade'] }, undefined],
    ['the wallet', 'wallets', { wallets: [WALLET.toUpperCase()] }, undefined],
    ['another wallet', 'wallets', { wallets: ['0x1'] }, 'wallets'],
    ['the token', 'trades', { tokens: ['77'] }, undefined],
    ['another token', 'markets', { markets: ['78'] }, 'tokens'],
    ['the slug', 'trades', { slugs: ['will-x'] }, undefined],
    ['another slug', 'trades', { slugs: ['will-y'] }, 'slugs'],
    ['a size above its shares', 'trades', { min_size: 11 }, 'size'],
    ['its shares', 'trades', { min_size: 10, max_size: 10 }, undefined],
    ['pending ones', 'trades', { status: 'pending' }, 'status'],
  ])('is filtered once more: %s', (_why, type, filters, reason) => {
    expect(reasonToDrop(parsed(trade()), { type, ...(filters && { filters }) })).toBe(reason)
  })
})

describe('the client of events', () => {
  let server: ScriptedServer
  let client: StrictEventClient
  const notices: string[] = []
  afterEach(async () => {
    await client.close()
    await server.stop()
    notices.length = 0
  })

  async function start(onMessage: (message: Json, peer: Peer) => void): Promise<Json[]> {
    const received: Json[] = []
    server = await openScriptedServer((message, peer) => {
      received.push(message)
      onMessage(message, peer)
    })
    client = new StrictEventClient({ url: server.url, notify: (notice) => notices.push(notice) })
    await client.connect()
    return received
  }

  const ack = (type: unknown, count = 1) => ({
    type: 'subscribed',
    subscriber_id: 's',
    subscription_id: `s:${count}`,
    subscription_type: type,
  })

  test('reads text and deflated frames, before and after the acknowledgement', async () => {
    await start(({ type }, peer) => {
      peer.sendDeflated(trade())
      peer.send(ack(type), { type: 'snapshot', count: 1, events: [trade()] })
      peer.sendDeflated({ ...trade(), seq: 8 })
    })
    const { events } = await client.subscribe({ type: 'trades' })
    await until(() => events.length === 3)
    expect(server.addresses).toEqual(['/ws?key=k&compress=zlib'])
    expect(notices).toEqual([])
  })

  test('takes the first answer as that of the oldest subscribe, also when it is an error', async () => {
    const types: unknown[] = []
    await start(({ type }, peer) => {
      types.push(type)
      if (types.length < 3) return
      peer.send({ type: 'error', code: 'unknown_type', message: 'no' }, ack('trades'), ack('trades'))
    })
    const [first, second, third] = await Promise.allSettled(
      ['novelty', 'trades', 'blocks'].map((type) => client.subscribe({ type })),
    )
    expect(first?.status).toBe('rejected')
    expect([second?.status, third?.status]).toEqual(['fulfilled', 'fulfilled'])
    expect(notices).toEqual(['trades was acknowledged in place of blocks'])
  })

  test('notices errors unasked for, snapshots that count wrong, and events that are wrong', async () => {
    await start(({ type }, peer) => {
      const error = { type: 'error', code: 'x', message: 'y' }
      peer.send(ack(type), error, { type: 'snapshot', count: 2, events: [] }, trade({ side: 'buy' }))
    })
    await client.subscribe({ type: 'trades' })
    await until(() => notices.length >= 3)
    expect(notices).toEqual([
      expect.stringMatching(/^unasked for/),
      'a snapshot of 2 has 0 events',
      expect.stringMatching(/side must be one of BUY, SELL/),
    ])
  })

  test('resumes each subscription 1 ms before its newest event, and gives up after a failed attempt', async () => {
    const received = await start(({ type }, peer) => {
      peer.send(ack(type), type === 'fills' ? fill() : trade())
    })
    await client.subscribe({ type: 'trades' })
    await client.subscribe({ type: 'fills' })
    await until(() => client.counts.events === 2)
    server.drop()
    await until(() => client.counts.reconnects === 1)
    expect(received.slice(2)).toEqual([
      { action: 'subscribe', type: 'trades', filters: { since: DAY_MS - 1 } },
      { action: 'subscribe', type: 'fills', filters: { since: DAY_MS / 1000 - 1 } },
    ])
    expect(notices).toEqual([])
    await server.stop()
    await until(() => notices.length > 0)
    expect(notices).toEqual([expect.stringMatching(/attempt to reconnect after 1006 failed/)])
  })
})
