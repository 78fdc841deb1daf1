import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { Faults } from '../server/faults.js'
import type { Peer } from '../server/handlers.js'
import { type Host, openHost } from '../server/host.js'
import type { Market } from '../universe/market.js'
import { Universe } from '../universe/universe.js'
import { createClobSocketHost } from './socket-host.js'

const MINUTE_MS = 60_000
const START_MS = Date.UTC(2026, 10, 12)
const WINDOW_MS = 5 * MINUTE_MS

type Frame = Record<string, unknown> & { event_type: string }
type Level = { price: string; size: string }
type BookFrame = Frame & { asset_id: string; bids: Level[]; asks: Level[] }
type Change = Record<'asset_id' | 'price' | 'size' | 'side' | 'hash' | 'best_bid' | 'best_ask', string>

let host: Host
let nowMs: number
let market: Market
let up: string
let down: string
const universe = new Universe({ seed: 5, startMs: START_MS, intensity: 6 })
const clients: Client[] = []

beforeAll(async () => {
  universe.advance(START_MS + 40 * MINUTE_MS)
  host = await openHost('clob_ws', new Faults(), createClobSocketHost(universe))
})
afterAll(() => host.close())

/** Every test begins together with a window. */
beforeEach(() => {
  nowMs = Math.ceil((universe.nowMs + 1) / WINDOW_MS) * WINDOW_MS
  universe.advance(nowMs)
  market = windowOf('btc', nowMs)
  up = market.tokens[0].decimal
  down = market.tokens[1].decimal
})
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})

function windowOf(coin: string, startMs: number): Market {
  const found = universe.catalogue.marketBySlug(`${coin}-updown-5m-${startMs / 1000}`)
  if (found === undefined) throw new Error('not in this universe')
  return found
}

/** Collects everything that one socket receives. */
class Client {
  readonly texts: string[] = []
  readonly #socket: WebSocket
  #wake: () => void = () => undefined

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => {
      this.texts.push(data.toString())
      this.#wake()
    })
    socket.on('close', () => this.#wake())
    clients.push(this)
  }

  static async open(path = '/ws/market'): Promise<Client> {
    const socket = new WebSocket(`${host.wsUrl}${path}`)
    const client = new Client(socket)
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    return client
  }

  say(message: unknown): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** Everything said before this has been answered when the PONG is there. */
  async settle(): Promise<void> {
    const before = this.texts.filter((text) => text === 'PONG').length
    this.say('PING')
    while (this.texts.filter((text) => text === 'PONG').length === before) {
      if (this.#socket.readyState !== WebSocket.OPEN) throw new Error('the socket was closed')
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Every frame so far. */
  async receive(): Promise<Frame[]> {
    await this.settle()
    return this.texts.flatMap((text) => (/^[[{]/.test(text) ? JSON.parse(text) : []))
  }

  async subscribe(assetIds: string[], extra: object = {}): Promise<BookFrame[]> {
    this.say({ assets_ids: assetIds, type: 'market', ...extra })
    return (await this.receive()) as BookFrame[]
  }

  close(): void {
    this.#socket.terminate()
  }
}

const ofType = (frames: Frame[], type: string) => frames.filter((f) => f.event_type === type)

/** A book that follows the frames of a socket, as a client of the real host would keep it. */
function replay(frames: Frame[], assetId: string) {
  const sides = { BUY: new Map<string, string>(), SELL: new Map<string, string>() }
  for (const frame of frames) {
    if (frame.event_type === 'book' && frame.asset_id === assetId) {
      const { bids, asks } = frame as BookFrame
      sides.BUY = new Map(bids.map(({ price, size }) => [price, size]))
      sides.SELL = new Map(asks.map(({ price, size }) => [price, size]))
    }
    for (const change of (frame.price_changes ?? []) as Change[]) {
      if (change.asset_id !== assetId) continue
      const side = sides[change.side as 'BUY' | 'SELL']
      if (change.size === '0') side.delete(change.price)
      else side.set(change.price, change.size)
    }
  }
  return sides
}

function shownBook(assetId: string) {
  const token = universe.catalogue.token(assetId)
  const book = token && universe.books.book(token)
  const side = (levels: readonly { priceE4: number; sizeE2: number }[] = []) =>
    new Map(levels.map(({ priceE4, sizeE2 }) => [String(priceE4 / 10_000), String(sizeE2 / 100)]))
  return { BUY: side(book?.bids), SELL: side(book?.asks) }
}

describe('subscribing', () => {
  test('is answered with one array of books and nothing else', async () => {
    const client = await Client.open()
    const books = await client.subscribe([up, down])
    expect(client.texts[0]).toMatch(/^\[/)
    expect(client.texts[1]).toBe('PONG')
    expect(books.map(({ event_type, asset_id }) => [event_type, asset_id])).toEqual([
      ['book', up],
      ['book', down],
    ])
    expect(books[0]).toMatchObject({
      market: market.conditionId,
      timestamp: String(nowMs),
      hash: expect.stringMatching(/^[0-9a-f]{40}$/),
    })
    expect(replay(books, up)).toEqual(shownBook(up))
  })

  test('without a dump says nothing', async () => {
    const client = await Client.open()
    expect(await client.subscribe([up], { initial_dump: false })).toEqual([])
  })

  test('again to the same tokens is NO NEW ASSETS', async () => {
    const client = await Client.open()
    await client.subscribe([up])
    client.say({ assets_ids: [up], operation: 'subscribe', custom_feature_enabled: true })
    await client.settle()
    expect(client.texts).toContain('NO NEW ASSETS')
  })

  test('to unknown tokens gives an empty array, and broken frames nothing', async () => {
    const client = await Client.open()
    client.say('{"assets_ids":[')
    client.say({ assets_ids: 'x', type: 'market' })
    await client.subscribe(['123'])
    expect(client.texts).toEqual(['[]', 'PONG'])
    await client.subscribe(['123', up], { initial_dump: false })
    await client.subscribe(['123'])
    expect(client.texts.slice(2)).toEqual(['PONG', '[]', 'PONG'])
  })

  test('at level 1 shows the best level only', async () => {
    const client = await Client.open()
    await client.subscribe([up], { level: 1 })
    universe.advance(nowMs + 5_000)
    const frames = await client.receive()
    const [book] = frames as BookFrame[]
    expect([book?.bids.length, book?.asks.length]).toEqual([1, 1])
    const { BUY, SELL } = replay(frames, up)
    const shown = shownBook(up)
    expect([...BUY]).toEqual([...shown.BUY].slice(0, 1))
    expect([...SELL]).toEqual([...shown.SELL].slice(0, 1))
  })

  test('elsewhere than /ws/market is refused', async () => {
    await expect(Client.open('/ws/other')).rejects.toThrow('404')
  })
})

describe('live frames', () => {
  test('keep a book equal to the real one, for two sockets that overlap', async () => {
    const both = await Client.open()
    await both.subscribe([up, down])
    universe.advance(nowMs + 20_000)
    const one = await Client.open()
    await one.subscribe([down])
    // Books are sent when a second is over: what traders do after that is sent with the next.
    let shown = [shownBook(up), shownBook(down)]
    const stop = universe.on('second', () => {
      shown = [shownBook(up), shownBook(down)]
    })
    universe.advance(nowMs + 60_000)
    stop()
    const frames = await both.receive()
    expect(ofType(frames, 'price_change').length).toBeGreaterThan(10)
    expect([replay(frames, up), replay(frames, down)]).toEqual(shown)
    expect(replay(await one.receive(), down)).toEqual(shown[1])
  })

  test('change both tokens at once, each the mirror of the other', async () => {
    const client = await Client.open()
    await client.subscribe([up])
    universe.advance(nowMs + 3_000)
    const [frame] = ofType(await client.receive(), 'price_change')
    const changes = frame?.price_changes as Change[]
    expect(changes.length % 2).toBe(0)
    const [first, second] = changes
    expect([first?.asset_id, second?.asset_id]).toEqual([up, down])
    expect(Number(first?.price) + Number(second?.price)).toBeCloseTo(1, 6)
    expect(first?.size).toBe(second?.size)
    expect(first?.side).not.toBe(second?.side)
    expect(Number(first?.best_bid) + Number(second?.best_ask)).toBeCloseTo(1, 6)
  })

  test('send a trade with its transaction and the book that it leaves', async () => {
    const client = await Client.open()
    await client.subscribe([up, down])
    const trades: { hash: string; token: string }[] = []
    universe.on('matched', (tx, match) => {
      if (match.of === market) trades.push({ hash: tx.hash, token: match.taker.order.token.decimal })
    })
    universe.advance(nowMs + 4 * MINUTE_MS)
    const frames = await client.receive()
    const tradeFrames = ofType(frames, 'last_trade_price')
    expect(tradeFrames.length).toBeGreaterThan(0)
    expect(
      tradeFrames.map(({ transaction_hash, asset_id }) => ({
        hash: transaction_hash,
        token: asset_id,
      })),
    ).toEqual(trades)
    expect(tradeFrames[0]).toMatchObject({
      market: market.conditionId,
      price: expect.stringMatching(/^0\.\d+$/),
      size: expect.stringMatching(/^\d+(\.\d+)?$/),
      fee_rate_bps: '1000',
      timestamp: expect.stringMatching(/^\d{13}$/),
    })
    const index = frames.findIndex(({ event_type }) => event_type === 'last_trade_price')
    expect(frames.slice(0, index).filter(({ event_type }) => event_type === 'book').length).toBe(4)
  })

  test('end when trading ends: every level is taken away', async () => {
    const client = await Client.open()
    await client.subscribe([up])
    universe.advance(market.endMs + 2_000)
    const { BUY, SELL } = replay(await client.receive(), up)
    expect([BUY.size, SELL.size]).toEqual([0, 0])
  })

  test('begin with a book when a market opens that was subscribed to before', async () => {
    const token = windowOf('btc', nowMs + 125 * MINUTE_MS).tokens[0].decimal
    const client = await Client.open()
    expect(await client.subscribe([token])).toEqual([])
    universe.advance(nowMs + 6 * MINUTE_MS)
    const frames = await client.receive()
    expect(frames[0]).toMatchObject({ event_type: 'book', asset_id: token })
    expect(replay(frames, token)).toEqual(shownBook(token))
  })

  test('stop after an unsubscribe', async () => {
    const client = await Client.open()
    await client.subscribe([up])
    client.say({ assets_ids: [up], operation: 'unsubscribe' })
    await client.settle()
    const { length } = client.texts
    universe.advance(nowMs + 10_000)
    await client.settle()
    expect(client.texts.slice(length)).toEqual(['PONG'])
  })
})

describe('custom features', () => {
  const CUSTOM = ['best_bid_ask', 'new_market', 'market_resolved']

  test('are sent only to those who asked for them', async () => {
    const plain = await Client.open()
    const custom = await Client.open()
    await plain.subscribe([up])
    await custom.subscribe([up, down], { custom_feature_enabled: true })
    universe.advance(market.resolvesMs + 4_000)
    const received = await custom.receive()
    for (const type of CUSTOM) expect(ofType(received, type)).not.toEqual([])
    const others = await plain.receive()
    for (const type of CUSTOM) expect(ofType(others, type)).toEqual([])
  })

  test('carry the fields of the real ones', async () => {
    const client = await Client.open()
    await client.subscribe([up, down], { custom_feature_enabled: true })
    universe.advance(market.resolvesMs + 4_000)
    const frames = await client.receive()
    expect(ofType(frames, 'best_bid_ask')[0]).toMatchObject({
      market: market.conditionId,
      best_bid: expect.any(String),
      best_ask: expect.any(String),
      spread: expect.any(String),
    })
    expect(ofType(frames, 'new_market')[0]).toMatchObject({
      market: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      assets_ids: [expect.any(String), expect.any(String)],
      event_message: { ticker: expect.any(String) },
      order_price_min_tick_size: '0.01',
      fee_schedule: { exponent: '1', taker_only: true },
      line: '',
    })
    const [first, second] = universe.payouts(market) ?? [0, 0]
    expect(ofType(frames, 'market_resolved')).toEqual([
      expect.objectContaining({
        market: market.conditionId,
        winning_asset_id: first > second ? up : down,
        winning_outcome: first > second ? 'Up' : 'Down',
      }),
    ])
  })

  test('can be switched on later', async () => {
    const client = await Client.open()
    await client.subscribe([up])
    client.say({ assets_ids: [up], operation: 'subscribe', custom_feature_enabled: true })
    await client.settle()
    universe.advance(nowMs + 2 * MINUTE_MS)
    expect(ofType(await client.receive(), 'best_bid_ask')).not.toEqual([])
  })
})

test('the tick size changes near the ends of the price range, for both tokens', async () => {
  const client = await Client.open()
  const coins = ['btc', 'eth', 'sol', 'xrp', 'doge', 'bnb', 'hype']
  const tokens = coins.flatMap((coin) => windowOf(coin, nowMs).tokens.map(({ decimal }) => decimal))
  await client.subscribe(tokens)
  // Reading in between: five minutes in one go are more than a socket buffers.
  for (let atMs = nowMs; atMs < nowMs + WINDOW_MS; atMs += 15_000) {
    universe.advance(atMs)
    await client.settle()
  }
  const changes = ofType(await client.receive(), 'tick_size_change')
  expect(changes.length).toBeGreaterThan(0)
  expect(changes.length % 2).toBe(0)
  expect(changes[0]).toMatchObject({ old_tick_size: '0.01', new_tick_size: '0.001' })
})

test('a reader that leaves too much unread is closed with 1013', () => {
  const closes: unknown[] = []
  let onText: (text: string) => void = () => undefined
  let buffered = 0
  const peer = {
    send: () => undefined,
    close: (code: number) => closes.push(code),
    onText: (listener: (text: string) => void) => {
      onText = listener
    },
    onClose: () => undefined,
    bufferedBytes: () => buffered,
  } as unknown as Peer
  createClobSocketHost(universe).connect?.(peer)
  onText(JSON.stringify({ assets_ids: [up], type: 'market' }))
  universe.advance(nowMs + 5_000)
  expect(closes).toEqual([])
  buffered = 5 * 1024 * 1024
  universe.advance(nowMs + 10_000)
  expect(closes[0]).toBe(1013)
})
