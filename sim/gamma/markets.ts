import { round } from '../markets/amounts.js'
import { isClosed, rewardsOf } from '../markets/market-state.js'
import { readList } from '../server/query.js'
import type { Market } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { pick } from './events.js'
import { marketLiquidity, marketVolume, marketVolume24hr, readFigures, volumeSince } from './figures.js'
import type { Gamma } from './gamma.js'
import { oracleStatuses } from './life.js'
import {
  keysetPage,
  type Order,
  type OrderFields,
  offsetPage,
  orderRows,
  type Row,
  readOrder,
} from './paging.js'
import {
  parseFlagParameter,
  parseIdsParameter,
  parseListParameter,
  parseNumberParameter,
} from './parameters.js'
import { createMarketPresenter } from './present-event.js'
import { resolutionStatus } from './present-market.js'
import { presentTag } from './present-tag.js'
import { invalid, notFound } from './refusal.js'
import {
  dateRules,
  foreignRules,
  listRule,
  meetsAll,
  neverRules,
  type Rule,
  rangeRules,
  tagRules,
  versionRules,
} from './rules.js'

/** The markets that a query asks for, in no order that matters. */
function selectMarkets(gamma: Gamma, query: URLSearchParams): Market[] {
  const { universe } = gamma
  const named = namedMarkets(universe, query)
  const candidates = named ?? universe.catalogue.events().flatMap(({ markets }) => markets)
  return candidates.filter(meetsAll(marketRules(gamma, query)))
}

/** The markets that match every identifier of the query. `undefined`: it has none. */
function namedMarkets({ catalogue }: Universe, query: URLSearchParams): Market[] | undefined {
  const conditions = parseListParameter(query, 'condition_ids', 20).map((id) => id.toLowerCase())
  // Token ids are taken as they come: a comma list is one unknown id.
  const tokens = query.getAll('clob_token_ids')
  const ofToken = (id: string) => {
    const of = catalogue.token(id)?.of
    return of?.kind === 'market' ? of : undefined
  }
  const groups = [
    namedGroup(parseIdsParameter(query, 'id'), (id) => catalogue.marketById(id)),
    namedGroup(readList(query, 'slug'), (slug) => catalogue.marketBySlug(slug)),
    namedGroup(conditions, (id) => catalogue.marketByCondition(id)),
    namedGroup(tokens, ofToken),
  ].filter((group) => group !== undefined)
  const [first, ...others] = groups
  return first?.filter((market) => others.every((group) => group.includes(market)))
}

const namedGroup = (names: readonly string[], find: (name: string) => Market | undefined) =>
  names.length === 0 ? undefined : pick(names, find)

const RESOLUTIONS = ['inactive', 'active', 'resolved']
/** Ids that only markets of the newer contracts have. */
const V2_IDS = ['onchain_event_ids', 'request_ids']

/** The cheap ones first: figures are only asked of what is left. */
function marketRules(gamma: Gamma, query: URLSearchParams): Rule<Market>[] {
  const { universe } = gamma
  const closed = parseFlagParameter(query, 'closed') ?? false
  const status = query.get('uma_resolution_status')
  const questions = readList(query, 'question_ids').map((id) => id.toLowerCase())
  const rewardedFrom = parseNumberParameter(query, 'rewards_min_size')
  const resolution = query.get('resolution_status')
  if (resolution && !RESOLUTIONS.includes(resolution)) throw invalid('resolution_status is invalid')
  for (const key of V2_IDS) parseListParameter(query, key, 100)
  return [
    ...listRule<Market>(questions, ({ questionId }) => questionId),
    ...listRule<Market>(parseIdsParameter(query, 'game_id'), ({ event }) => String(event.game?.id ?? '')),
    ...listRule<Market>(
      readList(query, 'sports_market_types'),
      ({ sportsMarketType }) => sportsMarketType ?? '',
    ),
    ...dateRules<Market>(query),
    ...tagRules(gamma, query).map(
      (rule) =>
        ({ event }: Market) =>
          rule(event),
    ),
    ...neverRules<Market>(query, ['cyom', 'rfq_enabled']),
    ...foreignRules<Market>(query, ['market_maker_address', 'position_ids', ...V2_IDS]),
    ...versionRules<Market>(query),
    ...(resolution ? [(market: Market) => resolutionStatus(universe, market) === resolution] : []),
    ...(rewardedFrom === undefined
      ? []
      : [(market: Market) => (rewardsOf(market)?.sharesMin ?? 0) >= rewardedFrom]),
    (market) => isClosed(universe, market) === closed,
    ...(status ? [(market: Market) => oracleStatuses(universe, market).at(-1) === status] : []),
    ...rangeRules<Market>(query, 'volume_num', (market) => marketVolume(universe, market)),
    ...rangeRules<Market>(query, 'liquidity_num', (market) => marketLiquidity(universe, market)),
  ]
}

const volumeOf =
  (days: number): OrderFields<Market>[string] =>
  (universe, market) =>
    volumeSince(universe, market, days)

const MARKET_ORDER: OrderFields<Market> = {
  id: (_, { id }) => Number(id),
  slug: (_, { slug }) => slug,
  question: (_, { question }) => question,
  startDate: (_, { createdMs }) => createdMs,
  createdAt: (_, { createdMs }) => createdMs,
  endDate: (_, { endMs }) => endMs,
  closedTime: (universe, market) => (isClosed(universe, market) ? market.resolvesMs : 0),
  // These two are texts in the host's database, and are put in order as texts.
  volume: (universe, market) => String(round(marketVolume(universe, market))),
  liquidity: (universe, market) => String(round(marketLiquidity(universe, market))),
  volumeNum: marketVolume,
  volumeClob: marketVolume,
  volume24hr: marketVolume24hr,
  volume24hrClob: marketVolume24hr,
  volume1wk: volumeOf(7),
  volume1mo: volumeOf(30),
  volume1yr: volumeOf(365),
  liquidityNum: marketLiquidity,
  liquidityClob: marketLiquidity,
  competitive: (universe, market) => readFigures(universe, market).competitive,
  lastTradePrice: (universe, market) => universe.settledActs.lastPriceE4(market) ?? 0,
  spread: (universe, market) => {
    const { bestAsk, bestBid } = readFigures(universe, market)
    return bestAsk - bestBid
  },
}

const OFFSET_LIMIT_MAX = 500
const KEYSET_LIMIT_MAX = 100

export function listMarkets(gamma: Gamma, query: URLSearchParams): object[] {
  const order = readOrder(query, MARKET_ORDER)
  const rows = rowsOf(gamma, query, order)
  const page = offsetPage(rows, query, OFFSET_LIMIT_MAX)
  return presentAll(
    gamma,
    query,
    page.map(({ item }) => item),
  )
}

export function pageMarkets(gamma: Gamma, query: URLSearchParams): object {
  const order = readOrder(query, MARKET_ORDER)
  const rows = rowsOf(gamma, query, order)
  const { items, cursor } = keysetPage(rows, query, order, KEYSET_LIMIT_MAX)
  const markets = presentAll(gamma, query, items)
  return cursor === undefined ? { markets } : { markets, next_cursor: cursor }
}

function rowsOf(gamma: Gamma, query: URLSearchParams, order: Order): readonly Row<Market>[] {
  const { universe, markets } = gamma
  return markets.of(query, universe.chain.head.number, () =>
    orderRows(universe, selectMarkets(gamma, query), MARKET_ORDER, order),
  )
}

export function showMarket(gamma: Gamma, query: URLSearchParams, market: Market): object {
  return presentAll(gamma, query, [market])[0] ?? {}
}

export function requireMarket({ universe }: Gamma, by: 'id' | 'slug', value: string): Market {
  const { catalogue } = universe
  const market = by === 'id' ? catalogue.marketById(value) : catalogue.marketBySlug(value)
  if (market === undefined) throw notFound(`${by} not found`)
  return market
}

function presentAll({ universe }: Gamma, query: URLSearchParams, markets: Market[]): object[] {
  const present = createMarketPresenter(universe)
  if (parseFlagParameter(query, 'include_tag') !== true) return markets.map(present)
  return markets.map((market) => Object.assign(present(market), { tags: market.event.tags.map(presentTag) }))
}
