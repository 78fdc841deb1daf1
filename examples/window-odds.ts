// The running five minutes of a coin: its price, the price to beat, what ticks say of Up, and what the market says:
//   node dist/examples/window-odds.js [BTC] [--count 10]
import { parseArgs } from 'node:util'
import { AuspexClient, type Book } from 'auspex-client'

const WINDOW_SECONDS = 300
const COINS = ['BTC', 'ETH', 'SOL', 'BNB', 'XRP', 'DOGE', 'HYPE'] as const

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { count: { type: 'string', default: 'Infinity' } },
  })
  const coin = COINS.find((each) => each === (positionals[0] ?? 'BTC').toUpperCase())
  const count = Number(values.count)
  if (coin === undefined || !(count > 0)) throw new Error('Usage: window-odds [BTC] [--count 10]')

  const { AUSPEX_URL, AUSPEX_KEY } = process.env
  if (!AUSPEX_URL || !AUSPEX_KEY) throw new Error('Set AUSPEX_URL and AUSPEX_KEY: see examples/README.md')
  const auspex = new AuspexClient({ baseUrl: AUSPEX_URL, apiKey: AUSPEX_KEY })
  const { markets, windowStart } = await auspex.get('/v1/crypto/active')
  const event = markets.find(({ slug }) => slug.startsWith(`${coin.toLowerCase()}-updown-`))
  const upToken = event?.markets[0]?.tokenId
  if (upToken === undefined) throw new Error(`${coin} has no window now. Try again in some seconds.`)
  const { openPrice } = await auspex.get('/v1/crypto/price', { query: { symbol: coin, window: windowStart } })
  console.log(`${event?.title}: ${openPrice} is to beat`)

  // Ticks of both sources would count every second twice.
  const lastMinute = { from: Date.now() - 60_000, to: Date.now(), source: 'platform_oracle' } as const
  const { ticks } = await auspex.get('/v1/crypto/ticks', { query: { symbol: coin, ...lastMinute } })
  const prices = ticks.map(({ data }) => data.price)

  const books = auspex.books([upToken])
  let printed = 0
  for await (const tick of auspex.subscribe({ type: 'chainlink', filters: { feeds: [`${coin}/USD`] } })) {
    if (tick.type !== 'price_feed') continue
    const secondsLeft = windowStart + WINDOW_SECONDS - tick.timestamp
    if (secondsLeft <= 0) break
    const { price } = tick.data
    prices.push(price)
    const ticksSay = estimateUp(prices.slice(-60), price - openPrice, secondsLeft)
    const odds = `Up: ticks ${ticksSay.toFixed(3)}, market ${readOdds(books.get(upToken))}`
    const ahead = (price - openPrice).toFixed(2)
    console.log(`${tick.timestamp}  ${secondsLeft} s left  ${price}  ${ahead}  ${odds}`)
    if (++printed === count) break
  }
  auspex.close()
}

/** The middle of the best prices; `?` while the book is not there or may be wrong. */
function readOdds(book: Book | undefined): string {
  if (book === undefined || book.isStale) return '?'
  return ((Number(book.bids[0]?.price ?? 0) + Number(book.asks[0]?.price ?? 1)) / 2).toFixed(3)
}

/** How likely a random walk with the moves between these prices ends above the price to beat. */
function estimateUp(prices: readonly number[], ahead: number, secondsLeft: number): number {
  const moves = prices.slice(1).map((price, index) => price - (prices[index] ?? price))
  const variance = moves.reduce((sum, move) => sum + move * move, 0) / Math.max(1, moves.length)
  const deviations = ahead / Math.max(Math.sqrt(variance * secondsLeft), 1e-9)
  // The logistic curve is within 0.01 of the normal distribution.
  return 1 / (1 + Math.exp(-1.702 * deviations))
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
