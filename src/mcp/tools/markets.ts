import type { Fields } from '../../core/errors.js'
import {
  CURSOR,
  fieldsOf,
  parameterOf,
  parametersOf,
  pick,
  type Tool,
  type ToolCall,
  ToolError,
  textOf,
  toListAnswer,
  toSlice,
} from '../tool.js'

export const searchTool: Tool = {
  name: 'search',
  title: 'Search everything',
  description:
    'Finds markets, events, games, tags, wallets and usernames by words, slug, address or id. Start here when you have a name and need a slug or an id.',
  operations: ['searchEverything'],
  arguments: { ...parametersOf('searchEverything', 'q', 'limit'), cursor: CURSOR },
  required: ['q'],
  limit: 10,
  units: '`id` of a market: its condition; of a wallet or user: the address; of a token: its id',
  run: async ({ args, ask }) => {
    const { q, limit } = args
    const found = fieldsOf((await ask('searchEverything', { q, limit })).results)
    const rows = found.map((row) => ({
      ...pick(row, ['kind', 'title', 'subtitle', 'is_closed', 'id']),
      ...slugOf(row),
    }))
    return { head: {}, ...toSlice(args, 'results', rows), narrowBy: ['q', 'limit'] }
  },
}

const SLUG_IN_PATH = /^\/(?:markets|events|sports\/games)\/([^/?]+)$/

/** The slug that other tools take, which only the page of a result names. */
function slugOf({ url_path }: Fields): Fields {
  const [, slug] = SLUG_IN_PATH.exec(textOf(url_path)) ?? []
  return slug === undefined ? {} : { slug: decodeURIComponent(slug) }
}

const MARKET_FIELDS = [
  'question',
  'slug',
  'condition_id',
  'category',
  'active',
  'closed',
  'volume_all_time',
  'liquidity',
  'end_date',
  'event_slug',
  'winning_outcome_index',
]
const MARKET_UNITS =
  'prices: dollars per share, 0 to 1 (the probability); volume_all_time, liquidity: US dollars; end_date: UTC'

export const marketsTool: Tool = {
  name: 'list_markets',
  title: 'Markets of the catalogue',
  description:
    'Markets by volume, liquidity, age or end, of a category, tag or event. `closed=false&sort=end_date&order=asc` has what ends next.',
  operations: ['listMarkets'],
  arguments: parametersOf(
    'listMarkets',
    ...['category', 'tag_slug', 'event_slug', 'active', 'closed', 'sort', 'order', 'limit', 'cursor'],
  ),
  limit: 15,
  units: MARKET_UNITS,
  run: async ({ args, ask }) => {
    const body = await ask('listMarkets', args)
    const keep = MARKET_FIELDS.filter((name) => name !== 'event_slug')
    const narrowBy = ['category', 'tag_slug', 'event_slug', 'closed', 'limit']
    return { head: {}, ...toListAnswer(body, { name: 'markets', field: 'data', keep }), narrowBy }
  },
}

export const marketTool: Tool = {
  name: 'get_market',
  title: 'A market with prices and order book',
  description:
    'One market by `slug` or `condition_id`: its state, and for each outcome the price, the best bid and ask and how much is offered. Give one of the two.',
  operations: ['getMarketOfSlug', 'getMarketOfCondition', 'getOrderbook', 'getTokenPrice'],
  arguments: {
    ...parametersOf('getMarketOfSlug', 'slug'),
    ...parametersOf('getMarketOfCondition', 'condition_id'),
  },
  units: `${MARKET_UNITS}; price: absent where none is known; bid_shares, ask_shares: shares in all orders of the book; winning_outcome_index: 0 is the first outcome`,
  run: async ({ args, ask }) => {
    const { slug, condition_id } = args
    if ((slug === undefined) === (condition_id === undefined)) {
      throw new ToolError('Give `slug` or `condition_id`, one of the two. `search` finds slugs.')
    }
    const { data } =
      slug === undefined
        ? await ask('getMarketOfCondition', { condition_id })
        : await ask('getMarketOfSlug', { slug })
    const [market] = fieldsOf(data)
    if (market === undefined) throw new ToolError(NO_MARKET)
    const books = await readBooks(ask, textOf(market.condition_id))
    const tokens = Array.isArray(market.token_ids) ? market.token_ids.map(textOf) : []
    const outcomes = Array.isArray(market.token_outcomes) ? market.token_outcomes.map(textOf) : []
    const rows = await Promise.all(
      tokens.map(async (token_id, index) => {
        const price = readPrice(await ask('getTokenPrice', { token_id }))
        return { outcome: outcomes[index], token_id, ...price, ...books.get(token_id) }
      }),
    )
    const head = { ...pick(market, MARKET_FIELDS), has_book: books.size > 0 }
    return { head, ...toSlice(args, 'outcomes', rows), narrowBy: [] }
  },
}

/** A price that is not known is 0 without a source in the API, which a model would take for a chance of nothing. */
const readPrice = ({ price, source }: Fields): Fields => (source === null ? {} : { price, source })

const NO_MARKET = 'There is no such market. `search` finds slugs and ids by words of the question.'

/** What the books of a condition have, by token: nothing when there are none, or when the exchange does not answer. */
async function readBooks(ask: ToolCall['ask'], id: string): Promise<Map<string, Fields>> {
  const body = await ask('getOrderbook', { id }).catch((error) => {
    if (error instanceof ToolError && [404, 502].includes(error.status ?? 0)) return {}
    throw error
  })
  const books = fieldsOf((body as Fields).outcomes)
  return new Map(books.map((book) => [textOf(book.token_id), summarizeBook(book)]))
}

function summarizeBook({ bids, asks, last_trade_price }: Fields): Fields {
  const prices = (side: unknown) => fieldsOf(side).map(({ price }) => Number(price))
  const shares = (side: unknown) =>
    Math.round(fieldsOf(side).reduce((sum, { size }) => sum + Number(size), 0) * 100) / 100
  const best_bid = prices(bids).length > 0 ? Math.max(...prices(bids)) : null
  const best_ask = prices(asks).length > 0 ? Math.min(...prices(asks)) : null
  const hasBoth = best_bid !== null && best_ask !== null
  return {
    best_bid,
    best_ask,
    midpoint: hasBoth ? Math.round(((best_bid + best_ask) / 2) * 1e6) / 1e6 : null,
    last_trade_price: last_trade_price === undefined ? null : Number(last_trade_price),
    bid_shares: shares(bids),
    ask_shares: shares(asks),
  }
}

/** How a period is cut into candles. */
const PERIODS: { readonly [period: string]: { resolution: string; limit: number } } = {
  '1h': { resolution: '5m', limit: 12 },
  '6h': { resolution: '15m', limit: 24 },
  '1d': { resolution: '1h', limit: 24 },
}
const MARKETS_MAX = 20

export const movesTool: Tool = {
  name: 'what_moved',
  title: 'What moved in the last hour',
  description:
    'Of the most traded markets of the last day (`markets` of them), how far the price of the first outcome moved in the last hour, 6 hours or day, the largest move first. Costs a request for each market.',
  operations: ['listMarketStats', 'getConditionCandles'],
  arguments: {
    period: { type: 'string', enum: Object.keys(PERIODS), default: '1h', description: 'the time up to now' },
    markets: {
      type: 'integer',
      minimum: 1,
      maximum: MARKETS_MAX,
      default: 10,
      description: 'how many markets are compared',
    },
    category: parameterOf('listMarketStats', 'category'),
    tag_slug: parameterOf('listMarketStats', 'tag_slug'),
    cursor: CURSOR,
  },
  units:
    'price_before, price_now: dollars per share, 0 to 1; change: price_now minus price_before; volume_usd: US dollars in the period',
  run: async ({ args, ask }) => {
    const { period = '1h', markets = 10, category, tag_slug } = args
    const candles = PERIODS[textOf(period)]
    if (candles === undefined) {
      throw new ToolError(`Invalid period. Allowed: ${Object.keys(PERIODS).join(', ')}`)
    }
    const filters = { category, tag_slug }
    const stats = await ask('listMarketStats', { period: '1d', sort: 'volume', limit: markets, ...filters })
    const moves: Fields[] = []
    for (const market of fieldsOf(stats.data)) {
      const { series } = await ask('getConditionCandles', {
        condition_id: textOf(market.condition_id),
        ...candles,
      })
      const move = measureMove(fieldsOf(series))
      if (move !== undefined) moves.push({ ...pick(market, ['question', 'slug']), ...move })
    }
    moves.sort((a, b) => Math.abs(Number(b.change)) - Math.abs(Number(a.change)))
    const compared = fieldsOf(stats.data).length
    return {
      head: { period, markets_compared: compared },
      ...toSlice(args, 'moved', moves),
      narrowBy: ['markets', 'category', 'tag_slug'],
    }
  },
}

/** `undefined`: the first outcome was not traded. */
function measureMove(series: readonly Fields[]): Fields | undefined {
  const first = series.find(({ outcome_index }) => outcome_index === 0)
  const candles = fieldsOf(first?.candles)
  const [oldest] = candles
  const newest = candles.at(-1)
  if (oldest === undefined || newest === undefined) return undefined
  const before = Number(oldest.open)
  const now = Number(newest.close)
  const volume = series.flatMap((each) => fieldsOf(each.candles)).map((each) => Number(each.volume_usd))
  return {
    outcome: first?.outcome,
    price_before: before,
    price_now: now,
    change: Math.round((now - before) * 1e6) / 1e6,
    volume_usd: Math.round(volume.reduce((sum, each) => sum + each, 0) * 100) / 100,
  }
}
