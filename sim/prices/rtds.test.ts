import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Faults } from '../server/faults.js'
import { type Host, openHost } from '../server/host.js'
import { Universe } from '../universe/universe.js'
import { createRtdsHost, type RtdsOptions } from './rtds.js'
import { dial, type TestSocket } from './test-socket.js'

const START_MS = Date.UTC(2026, 10, 12)
const SEC = START_MS / 1000

type Frame = {
  topic: string
  type: string
  timestamp: number
  payload: { symbol: string; timestamp: number; value: number; [field: string]: unknown }
}

let universe: Universe
let host: Host
let socket: TestSocket

async function open(options: RtdsOptions = {}) {
  host = await openHost('rtds', new Faults(), createRtdsHost(universe, options))
  socket = await dial(host.wsUrl)
}
beforeEach(() => {
  universe = new Universe({ seed: 3, startMs: START_MS, intensity: 4 })
  universe.advance(START_MS)
})
afterEach(async () => {
  await socket.close()
  await host.close()
})

/** Resolves when the host has handled all that was sent before. */
async function settle(): Promise<void> {
  const count = socket.frames.length
  socket.send('PING')
  while (!socket.frames.slice(count).includes('')) await socket.until(socket.frames.length + 1)
}

const subscribe = async (topic: string, type: string, filters?: unknown) => {
  socket.send({ action: 'subscribe', subscriptions: [{ topic, type, filters }] })
  await settle()
}

const live = async (untilSec: number) => {
  universe.advance(untilSec * 1000)
  await settle()
}

const data = (): Frame[] => socket.frames.filter((text) => text !== '').map((text): Frame => JSON.parse(text))

test('updates carry the second before, in the forms of their topic', async () => {
  await open({ dropShare: 0 })
  await subscribe('crypto_prices', 'update')
  await subscribe('crypto_prices_chainlink', '*')
  await subscribe('crypto_prices_twap_thirty', 'update')
  await subscribe('crypto_prices_twap_sixty', 'update')
  await live(SEC + 1)
  const frames = data()
  expect(frames).toHaveLength(4 * 7)
  const find = (topic: string, symbol: string) =>
    frames.find((frame) => frame.topic === topic && frame.payload.symbol === symbol)

  const { priceE8 } = universe.prices.spot('btc', SEC)
  expect(find('crypto_prices_chainlink', 'btc/usd')).toEqual({
    topic: 'crypto_prices_chainlink',
    type: 'update',
    timestamp: START_MS + 1000,
    payload: {
      symbol: 'btc/usd',
      timestamp: START_MS,
      value: priceE8 / 1e8,
      full_accuracy_value: `${priceE8}0000000000`,
    },
  })
  expect(find('crypto_prices', 'hypeusdt')?.payload).toEqual({
    symbol: 'hypeusdt',
    timestamp: START_MS,
    value: universe.prices.binanceE8('hype', SEC) / 1e8,
  })
  const twapE8 = universe.prices.twapE8('doge', SEC, 60)
  expect(find('crypto_prices_twap_sixty', 'doge/usd')?.payload).toEqual({
    symbol: 'doge/usd',
    timestamp: START_MS,
    value: twapE8 / 1e8,
    full_accuracy_value: `${twapE8}0000000000`,
    window_s: 60,
  })
})

test('about three in a hundred seconds never arrive, always the same ones', async () => {
  await open()
  await subscribe('crypto_prices_chainlink', '*')
  await live(SEC + 60)
  const first = data().map(({ payload }) => `${payload.symbol} ${payload.timestamp}`)
  expect(first.length).toBeGreaterThan(60 * 7 * 0.93)
  expect(first.length).toBeLessThan(60 * 7)

  await socket.close()
  await host.close()
  universe = new Universe({ seed: 3, startMs: START_MS, intensity: 4 })
  universe.advance(START_MS)
  await open()
  await subscribe('crypto_prices_chainlink', '*')
  await live(SEC + 60)
  expect(data().map(({ payload }) => `${payload.symbol} ${payload.timestamp}`)).toEqual(first)
})

describe('filters', () => {
  test('a list of the exchange, and a later one that replaces it', async () => {
    await open({ dropShare: 0 })
    await subscribe('crypto_prices', 'update', 'btcusdt,ethusdt')
    await live(SEC + 1)
    await subscribe('crypto_prices', 'update', 'solusdt')
    await live(SEC + 2)
    expect(data().map(({ payload }) => payload.symbol)).toEqual(['btcusdt', 'ethusdt', 'solusdt'])
  })

  test('a symbol of the oracle is answered with its last minute first', async () => {
    await open({ dropShare: 0 })
    await subscribe('crypto_prices_chainlink', '*', '{"symbol":"eth/usd"}')
    await live(SEC + 1)
    const [snapshot, update, ...rest] = data()
    expect(rest).toEqual([])
    expect(snapshot).toMatchObject({ connection_id: 'c1', type: 'subscribe' })
    const points = snapshot?.payload.data as { timestamp: number; value: number }[]
    expect(points).toHaveLength(60)
    expect(points.at(-1)).toEqual({
      timestamp: START_MS - 1000,
      value: universe.prices.spot('eth', SEC - 1).priceE8 / 1e8,
    })
    expect(update?.payload).toMatchObject({ symbol: 'eth/usd', timestamp: START_MS })
  })

  test('JSON with spaces matches nothing', async () => {
    await open({ dropShare: 0 })
    await subscribe('crypto_prices_chainlink', '*', '{ "symbol": "eth/usd" }')
    await live(SEC + 3)
    expect(data()).toEqual([])
  })

  test.each([
    ['an object', { symbol: 'btc/usd' }],
    ['an array', ['btc/usd']],
  ])('%s is refused, and the socket stays open', async (_what, filters) => {
    await open({ dropShare: 0 })
    await subscribe('crypto_prices_chainlink', '*', filters)
    await live(SEC + 1)
    expect(data()).toEqual([
      {
        message: 'Invalid request body',
        connectionId: 'c1',
        requestId: expect.any(String),
      },
    ])
  })
})

test.each([
  ['not JSON', 'hello'],
  ['an action that does not exist', { action: 'listen', subscriptions: [] }],
  ['no subscriptions', { action: 'subscribe', subscriptions: [] }],
  ['an unknown topic', { action: 'subscribe', subscriptions: [{ topic: 'weather', type: '*' }] }],
  [
    'a type that the topic does not have',
    { action: 'subscribe', subscriptions: [{ topic: 'activity', type: 'update' }] },
  ],
  [
    'filters on an unsubscribe',
    {
      action: 'unsubscribe',
      subscriptions: [{ topic: 'crypto_prices', type: 'update', filters: 'btcusdt' }],
    },
  ],
])('refuses %s', async (_what, frame) => {
  await open()
  socket.send(frame)
  await settle()
  expect(data()).toEqual([expect.objectContaining({ message: 'Invalid request body' })])
})

test('404 on another path', async () => {
  await open()
  await expect(dial(`${host.wsUrl}/ws`)).rejects.toThrow('404')
})

test('unsubscribing ends the topic', async () => {
  await open({ dropShare: 0 })
  await subscribe('crypto_prices', 'update')
  await live(SEC + 1)
  socket.send({
    action: 'unsubscribe',
    subscriptions: [{ topic: 'crypto_prices', type: 'update' }],
  })
  await settle()
  await live(SEC + 5)
  expect(data()).toHaveLength(7)
})

test('without pings the data ends after two minutes, and comes back with a ping', async () => {
  await open({ dropShare: 0 })
  await subscribe('crypto_prices', 'update', 'btcusdt')
  await live(SEC + 300)
  expect(data()).toHaveLength(120)
  await live(SEC + 301)
  expect(data()).toHaveLength(121)
})

test('shares and comments are taken, and nothing flows', async () => {
  await open({ dropShare: 0 })
  await subscribe('equity_prices', '*')
  await subscribe('comments', 'comment_created')
  await live(SEC + 5)
  expect(data()).toEqual([])
})

describe('activity', () => {
  test('tells each match twice, for the taker and each maker, before its block', async () => {
    const matches: { hash: string; fills: number }[] = []
    universe.on('matched', (tx, match) => {
      matches.push({ hash: tx.hash, fills: 1 + match.makers.length })
    })
    await open({ dropShare: 0 })
    await subscribe('activity', '*')
    await live(SEC + 60)
    const rows = data()
    const trades = rows.filter(({ type }) => type === 'trades')
    const matched = rows.filter(({ type }) => type === 'orders_matched')
    expect(trades.length).toBeGreaterThan(10)
    expect(matched.length).toBeGreaterThanOrEqual(trades.length)
    const [first] = matches
    expect(trades.filter(({ payload }) => payload.transactionHash === first?.hash)).toHaveLength(
      first?.fills ?? 0,
    )
    for (const { timestamp, payload } of trades) {
      const found = universe.chain.find(String(payload.transactionHash))
      if (found?.tx.act.kind !== 'match') throw new Error('not a match of the chain')
      // What was matched before the client came is sent with its block.
      if (found.tx.act.matchedMs < START_MS) continue
      const lateMs = timestamp - found.tx.act.matchedMs
      expect(lateMs).toBeGreaterThanOrEqual(2_100)
      expect(lateMs).toBeLessThan(3_100)
    }
  })

  test('has the fields of a trade, and takes the slug of an event as a filter', async () => {
    await open({ dropShare: 0 })
    await subscribe('activity', 'trades')
    await live(SEC + 60)
    const payload = data()[0]?.payload
    expect(payload).toEqual({
      asset: expect.stringMatching(/^\d+$/),
      bio: expect.any(String),
      conditionId: expect.stringMatching(/^0x[0-9a-f]{62,64}$/),
      eventSlug: expect.any(String),
      icon: expect.any(String),
      name: expect.any(String),
      outcome: expect.any(String),
      outcomeIndex: expect.any(Number),
      price: expect.any(Number),
      profileImage: expect.any(String),
      proxyWallet: expect.stringMatching(/^0x[0-9a-f]{40}$/),
      pseudonym: expect.any(String),
      side: expect.stringMatching(/^(BUY|SELL)$/),
      size: expect.any(Number),
      slug: expect.any(String),
      timestamp: expect.any(Number),
      title: expect.any(String),
      transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    const before = data().length
    await subscribe('activity', 'trades', JSON.stringify({ event_slug: 'no-such-event' }))
    await live(SEC + 120)
    expect(data()).toHaveLength(before)
  })

  test('tells the matches of blocks that replace others', async () => {
    await open({ dropShare: 0 })
    await subscribe('activity', 'trades')
    await live(SEC + 60)
    universe.reorg(5)
    const { head } = universe.chain
    const hashes = [0, 1, 2, 3, 4].flatMap((back) =>
      (universe.chain.block(head.number - back)?.transactions ?? []).flatMap(({ hash, act }) =>
        act.kind === 'match' ? [hash] : [],
      ),
    )
    await live(SEC + 66)
    const sentHashes = data().map(({ payload }) => payload.transactionHash)
    expect(hashes.length).toBeGreaterThan(0)
    expect(sentHashes).toEqual(expect.arrayContaining(hashes))
  })
})
