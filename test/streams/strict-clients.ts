import { chooseSamples } from '../../sim/samples.js'
import { StrictBookClient } from '../strict-client/book-client.js'
import { StrictEventClient } from '../strict-client/event-client.js'
import type { Request } from '../strict-client/event-filter.js'
import type { StreamWorld } from './stream-world.js'

const COINS = ['btc', 'eth', 'sol', 'xrp', 'doge', 'bnb', 'hype']
const WINDOW_MS = 5 * 60_000

export type StrictClients = Awaited<ReturnType<typeof openStrictClients>>

/** Clients as programs of users have them, each with what such a program asks for. */
export async function openStrictClients(world: StreamWorld, notices: string[]) {
  const { universe } = world
  const notify = (notice: string) => notices.push(notice)
  const samples = chooseSamples(universe)
  const [eventUrl = ''] = await world.createAddresses('/ws')
  const [bookUrl = ''] = await world.createAddresses('/ws/orderbook')

  const openEvents = async (...requests: Request[]) => {
    const client = new StrictEventClient({ url: eventUrl, notify })
    await client.connect()
    for (const request of requests) await client.subscribe(request)
    return client
  }
  const startSec = (Math.floor(universe.nowMs / WINDOW_MS) * WINDOW_MS) / 1000
  const windows = COINS.map((coin) => `${coin}-updown-5m-${startSec}`)
  const tokens = windows.flatMap(
    (slug) => universe.catalogue.marketBySlug(slug)?.tokens.map(({ decimal }) => decimal) ?? [],
  )

  const everything = await openEvents(
    { type: 'global' },
    { type: 'fills' },
    { type: 'wallets', filters: { wallets: [samples.wallet], snapshot_count: 5 } },
    { type: 'combos', filters: { event_types: COMBO_EVENTS } },
    { type: 'settlements', filters: { event_types: SET_EVENTS } },
  )
  const oneMarket = await openEvents(
    { type: 'trades', filters: { slugs: [samples.market_slug, ...windows] } },
    { type: 'markets', filters: { tokens } },
  )
  const shortForm = await openEvents(
    { type: 'settlements', filters: { slugs: windows, status: 'all' } },
    { type: 'chainlink', filters: { feeds: ['BTC/USD', 'ETH/USD'], twap_windows: [30] } },
  )
  const coinPrices = await openEvents({ type: 'chainlink' })

  const openBooks = async (isProven: boolean, markets: readonly string[]) => {
    const client = new StrictBookClient({ url: bookUrl, isProven, notify })
    await client.connect()
    await client.subscribe(markets)
    return client
  }
  const proven = await openBooks(true, [...tokens, samples.token_id])
  const plain = await openBooks(false, [samples.condition_id, samples.event_slug, ...tokens])

  const events = { everything, oneMarket, shortForm, coinPrices }
  const books = { proven, plain }
  return {
    events,
    books,
    all: [...Object.values(events), ...Object.values(books)],
    close: async () => {
      for (const client of [...Object.values(events), ...Object.values(books)]) await client.close()
    },
  }
}

const COMBO_EVENTS = ['combo_execution', 'combo_status_update', 'combo_lifecycle', 'combo_approval']
const SET_EVENTS = ['position_split', 'position_merge', 'positions_converted']
