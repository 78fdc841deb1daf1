import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

const LEVELS = 20
/** Every this many frames a trade replaces both books of its market. */
const TRADE_EVERY = 50
const BUFFERED_BYTES_MAX = 1024 * 1024
const YES_BEST = { bid: 41, ask: 43 }
const NO_BEST = { bid: 57, ask: 59 }

type Best = typeof YES_BEST
type Asked = { assets_ids: string[]; operation?: string }

/** An exchange whose markets change as fast as they are read. Sizes change; the best prices stay. */
export class BookExchange {
  readonly tokenIds: string[]
  readonly url: string
  readonly #server: WebSocketServer
  /** By market. */
  readonly #peers = new Map<number, Set<WebSocket>>()
  #sent = 0

  private constructor(server: WebSocketServer, markets: number) {
    this.#server = server
    const { port } = server.address() as AddressInfo
    this.url = `ws://127.0.0.1:${port}`
    this.tokenIds = Array.from({ length: markets * 2 }, (_, index) => tokenIdOf(index))
    server.on('connection', (peer) => {
      peer.on('message', (data) => this.#answer(peer, String(data)))
    })
  }

  static async open(markets: number): Promise<BookExchange> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(server, 'listening')
    return new BookExchange(server, markets)
  }

  /** Sends frames of two changes each, and not faster than they are taken. */
  async send(frames: number): Promise<void> {
    for (let frame = 0; frame < frames; frame++) {
      const market = (this.#sent * 7919) % (this.tokenIds.length / 2)
      this.#sent += 1
      this.#publish(market, presentChange(market, this.#sent))
      if (this.#sent % TRADE_EVERY === 0) {
        const books = [presentBook(market * 2), presentBook(market * 2 + 1)]
        this.#publish(market, JSON.stringify(books))
        this.#publish(market, presentTrade(market, this.#sent))
      }
      if (frame % 100 === 0) await this.#untilTaken()
    }
  }

  close(): void {
    for (const peer of this.#server.clients) peer.terminate()
    this.#server.close()
  }

  #publish(market: number, text: string): void {
    for (const peer of this.#peers.get(market) ?? []) peer.send(text)
  }

  async #untilTaken(): Promise<void> {
    do await new Promise(setImmediate)
    while ([...this.#server.clients].some(({ bufferedAmount }) => bufferedAmount > BUFFERED_BYTES_MAX))
  }

  #answer(peer: WebSocket, text: string): void {
    if (text === 'PING') {
      peer.send('PONG')
      return
    }
    const { assets_ids: ids, operation } = JSON.parse(text) as Asked
    if (operation === 'unsubscribe') return
    const indexes = ids.map((id) => this.tokenIds.indexOf(id))
    for (const index of indexes) {
      const market = index >> 1
      this.#peers.set(market, (this.#peers.get(market) ?? new Set()).add(peer))
    }
    peer.send(JSON.stringify(indexes.map(presentBook)))
  }
}

/** As long as real ones. */
const tokenIdOf = (index: number): string => `${10n ** 76n + BigInt(index)}`
const conditionOf = (market: number): string => `0x${market.toString(16).padStart(64, '0')}`
const bestOf = (index: number): Best => (index % 2 === 0 ? YES_BEST : NO_BEST)
const toPrice = (cents: number): string => String(cents / 100)
const HASH = '0f3c'.repeat(10)

function presentBook(index: number) {
  const { bid, ask } = bestOf(index)
  const levels = (from: number, step: 1 | -1) =>
    Array.from({ length: LEVELS }, (_, depth) => ({
      price: toPrice(from + step * depth),
      size: `${100 + depth}.5`,
    })).reverse()
  return {
    event_type: 'book',
    market: conditionOf(index >> 1),
    asset_id: tokenIdOf(index),
    timestamp: '1794818281000',
    hash: HASH,
    bids: levels(bid, -1),
    asks: levels(ask, 1),
    min_order_size: '5',
    tick_size: '0.01',
    neg_risk: false,
    last_trade_price: '0.42',
  }
}

/** A bid for the first token is an ask for the second. */
function presentChange(market: number, sequence: number): string {
  const depth = sequence % LEVELS
  const size = `${(sequence % 9_000) + 1}.25`
  const isGone = depth > 0 && sequence % 10 === 0
  const row = (index: number, cents: number, side: string) => {
    const best = bestOf(index)
    return {
      asset_id: tokenIdOf(index),
      price: toPrice(cents),
      size: isGone ? '0' : size,
      side,
      hash: HASH,
      best_bid: toPrice(best.bid),
      best_ask: toPrice(best.ask),
    }
  }
  const bid = YES_BEST.bid - depth
  return JSON.stringify({
    event_type: 'price_change',
    market: conditionOf(market),
    timestamp: String(1_794_818_281_000 + sequence),
    price_changes: [row(market * 2, bid, 'BUY'), row(market * 2 + 1, 100 - bid, 'SELL')],
  })
}

const presentTrade = (market: number, sequence: number): string =>
  JSON.stringify({
    event_type: 'last_trade_price',
    market: conditionOf(market),
    side: 'BUY',
    asset_id: tokenIdOf(market * 2),
    price: '0.43',
    size: '12.5',
    fee_rate_bps: '0',
    timestamp: String(1_794_818_281_000 + sequence),
  })
