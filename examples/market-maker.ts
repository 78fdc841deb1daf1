// A market maker on paper: it quotes both sides of a book, is filled by the trades that come, and says what it would have earned.
// Of the last minutes as they were recorded, or with --live of those to come; nothing else of the bot differs:
//   node dist/examples/market-maker.js <token id> [--minutes 10 | --live 10] [--edge 0.01] [--size 20]
import { parseArgs } from 'node:util'
import { AuspexClient, type BookMessage, type StreamGap } from 'auspex-client'

/** Of the books of a client or of a replay, which have the same `subscribe`. */
type BookStream = AsyncIterable<BookMessage | StreamGap> & { close(): void }

/** Quotes the middle of the book less and plus an edge, and holds at most ten times the size of a quote either way. */
class MarketMaker {
  readonly #edge: number
  readonly #size: number
  readonly #bids = new Map<string, number>()
  readonly #asks = new Map<string, number>()
  #cash = 0
  #shares = 0
  #fills = 0

  constructor(edge: number, size: number) {
    this.#edge = edge
    this.#size = size
  }

  take(message: BookMessage | StreamGap): void {
    if (message.type === 'snapshot_batch') for (const book of message.snapshots) this.#replace(book)
    if (message.type !== 'batch') return
    for (const update of message.updates) {
      if (update.type === 'book_snapshot') this.#replace(update)
      else if (update.type === 'price_change')
        for (const { side, price, size } of update.assets)
          setLevel(side === 'BUY' ? this.#bids : this.#asks, price, size)
      else if (update.type === 'last_trade_price') this.#trade(Number(update.price), Number(update.size))
    }
  }

  /** Shares are worth the middle of the book. */
  get result() {
    const middle = this.#middle ?? 0
    return { fills: this.#fills, shares: this.#shares, profit: this.#cash + this.#shares * middle }
  }

  get #middle(): number | undefined {
    if (this.#bids.size === 0 || this.#asks.size === 0) return undefined
    const [bid, ask] = [
      Math.max(...[...this.#bids.keys()].map(Number)),
      Math.min(...[...this.#asks.keys()].map(Number)),
    ]
    return (bid + ask) / 2
  }

  /** A trade at or beyond a quote fills it, as far as it has shares. */
  #trade(price: number, size: number): void {
    const middle = this.#middle
    if (middle === undefined) return
    const shares = Math.min(size, this.#size)
    const holdsMax = 10 * this.#size
    if (price <= middle - this.#edge && this.#shares + shares <= holdsMax)
      this.#fill(shares, middle - this.#edge)
    if (price >= middle + this.#edge && this.#shares - shares >= -holdsMax)
      this.#fill(-shares, middle + this.#edge)
  }

  #fill(shares: number, price: number): void {
    this.#fills++
    this.#shares += shares
    this.#cash -= shares * price
  }

  #replace({ bids, asks }: { bids: readonly Level[]; asks: readonly Level[] }): void {
    this.#bids.clear()
    this.#asks.clear()
    for (const { price, size } of bids) setLevel(this.#bids, price, size)
    for (const { price, size } of asks) setLevel(this.#asks, price, size)
  }
}

type Level = { price: string; size: string }

function setLevel(side: Map<string, number>, price: string, size: string): void {
  if (Number(size) === 0) side.delete(price)
  else side.set(price, Number(size))
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '10' },
      live: { type: 'string' },
      edge: { type: 'string', default: '0.01' },
      size: { type: 'string', default: '20' },
    },
  })
  const [token] = positionals
  const [minutes, edge, size] = [
    Number(values.live ?? values.minutes),
    Number(values.edge),
    Number(values.size),
  ]
  if (token === undefined || !(minutes > 0) || !(edge > 0) || !(size > 0)) {
    throw new Error('Usage: market-maker <token id> [--minutes 10 | --live 10] [--edge 0.01] [--size 20]')
  }

  const { AUSPEX_URL, AUSPEX_KEY } = process.env
  if (!AUSPEX_URL || !AUSPEX_KEY) throw new Error('Set AUSPEX_URL and AUSPEX_KEY: see examples/README.md')
  const auspex = new AuspexClient({ baseUrl: AUSPEX_URL, apiKey: AUSPEX_KEY })
  const to = Date.now() - 2_000
  const source =
    values.live === undefined ? auspex.replay({ from: to - minutes * 60_000, to, speed: 'max' }) : auspex
  const books: BookStream = source.subscribe({ type: 'orderbook', markets: [token] })
  if (values.live !== undefined) setTimeout(() => books.close(), minutes * 60_000)

  const bot = new MarketMaker(edge, size)
  let messages = 0
  for await (const message of books) {
    messages++
    bot.take(message)
  }
  const { fills, shares, profit } = bot.result
  console.log(
    `${messages} messages, ${fills} fills, ${shares.toFixed(2)} shares, profit $${profit.toFixed(2)}`,
  )
  auspex.close()
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
