import { isoTime } from '../markets/amounts.js'
import { isClosed } from '../markets/market-state.js'
import { isBet, namesOf, oppositeOf } from '../markets/names.js'
import { readList } from '../server/query.js'
import type { Market, Token } from '../universe/market.js'
import { oracleLife } from '../universe/oracle.js'
import { winnerOf, worthOf } from '../universe/outcomes.js'
import type { Universe } from '../universe/universe.js'
import type { Route } from './context.js'
import { BadRequest } from './query.js'
import { readConditions, readMarkets } from './scope.js'
import { readEventIds } from './v2-market-routes.js'

const TOKENS_MAX = 50
const CONDITIONS_MAX = 10
const EVENTS_MAX = 20

/** What a token is, by its own id or by that of its condition. */
export const tokens: Route = ({ universe }, query) => {
  const { catalogue } = universe
  const ids = readList(query, 'token_id')
  const conditions = readConditions(query, 'condition_id')
  if (ids.length > 0 === conditions.length > 0) {
    throw new BadRequest("exactly one of 'token_id' and 'condition' is required")
  }
  if (ids.length > TOKENS_MAX || conditions.length > CONDITIONS_MAX) {
    throw new BadRequest("too many values in 'token_id' or 'condition'")
  }
  if (!ids.every((id) => /^\d{1,78}$/.test(id))) {
    throw new BadRequest("invalid query param 'token_id'")
  }
  const found =
    ids.length > 0
      ? ids.flatMap((id) => catalogue.token(id) ?? [])
      : conditions.flatMap((id) => [
          ...((catalogue.marketByCondition(id) ?? catalogue.comboByCondition(id))?.tokens ?? []),
        ])
  return { data: found.map((token) => showToken(universe, token)) }
}

/** Every field is there; null where it makes no sense. */
function showToken(universe: Universe, token: Token) {
  const { of, outcome } = token
  const names = namesOf(token)
  const payouts = universe.payouts(of)
  const market = of.kind === 'market' ? of : undefined
  const structural = of.kind === 'combo' ? padded(of.conditionId) : null
  return {
    token_id: token.decimal,
    condition_id: padded(of.conditionId),
    structural_condition_id: structural,
    module: moduleOf(of),
    outcome_index: outcome,
    clob_index: outcome,
    outcome: names.outcome,
    opposite_token_id: oppositeOf(token).decimal,
    resolved: payouts !== undefined,
    final_price: payouts === undefined ? null : worthOf(payouts, outcome),
    title: names.title,
    market_slug: names.slug || null,
    closed: market === undefined ? null : isClosed(universe, market),
    neg_risk: names.negativeRisk,
    neg_risk_market_id: market?.event.negRisk?.marketId ?? null,
    question_index: market?.event.negRisk === undefined ? null : market.index,
    event_id: names.eventId === '' ? null : Number(names.eventId),
    event_slug: names.eventSlug || null,
  }
}

const padded = (conditionId: string): string => conditionId.padEnd(66, '0')

function moduleOf(of: Token['of']): 'v1_ctf' | 'binary' | 'combo' {
  if (of.kind === 'market') return 'v1_ctf'
  return isBet(of) ? 'combo' : 'binary'
}

/** By one question, by conditions or by events. */
export const resolutions: Route = ({ universe }, query) => {
  const keys = ['question_id', 'condition_id', 'event_id'].filter((key) => query.has(key))
  if (keys.length !== 1) {
    throw new BadRequest("exactly one of 'question_id', 'condition_id', 'event_id' is required")
  }
  return { data: findRequestedMarkets(universe, query).map((market) => showResolution(universe, market)) }
}

function findRequestedMarkets(universe: Universe, query: URLSearchParams): Market[] {
  const { catalogue } = universe
  if (query.has('condition_id')) return readMarkets(universe, query, 'condition_id')
  const question = query.get('question_id')?.toLowerCase()
  if (question !== undefined) {
    const markets = catalogue.events().flatMap((event) => event.markets)
    return markets.filter(({ questionId }) => questionId === question)
  }
  const ids = readEventIds(query)
  if (ids.length > EVENTS_MAX) throw new BadRequest("too many values in 'event_id'")
  return ids.flatMap((id) => catalogue.eventById(id)?.markets ?? [])
}

const PRICE_UNSET = '69'

/** What is not known yet is left out. Prices are those of the oracle: of the first outcome. */
function showResolution(universe: Universe, market: Market) {
  const payouts = universe.payouts(market)
  const { status, wasDisputed, atMs } = stationOf(universe, market)
  const isProposed = status === 'proposed' || status === 'reproposed'
  return {
    question_id: market.questionId,
    condition_id: market.conditionId,
    status,
    extended_review: false,
    was_disputed: wasDisputed,
    new_version_q: false,
    last_update_timestamp: Math.floor(atMs / 1000),
    price: payouts === undefined ? PRICE_UNSET : String(worthOf(payouts, 0)),
    ...(isProposed ? { expected_settlement_time: isoTime(market.resolvesMs) } : {}),
    ...(isProposed ? { settlement_time_basis: 'liveness' } : {}),
    transaction_hash: null,
    log_index: null,
    market_type: market.event.negRisk === undefined ? 'BINARY' : 'INCREMENTAL_NEGRISK',
    ...(payouts === undefined
      ? {}
      : {
          payouts: ([0, 1] as const).map((outcome) => worthOf(payouts, outcome) * 1e6),
          resolution_source: 'reported',
          reporter: market.event.window === undefined ? 'UMA_OO' : 'CHAINLINK',
          was_arbitrated: wasDisputed && winnerOf(payouts) === undefined,
          resolved_at: isoTime(market.resolvesMs),
        }),
  }
}

/** Where the question stands before the oracle, and since when. */
function stationOf(universe: Universe, market: Market) {
  const life = oracleLife(universe.seed, market)
  const { disputed, proposedMs } = life ?? {}
  const stations: [string, number | undefined][] = [
    ['posed', market.createdMs],
    ['proposed', disputed?.proposedMs],
    ['disputed', disputed?.disputedMs],
    [disputed === undefined ? 'proposed' : 'reproposed', proposedMs],
    ['resolved', universe.payouts(market) === undefined ? undefined : market.resolvesMs],
  ]
  const passed = stations.filter(([, atMs]) => atMs !== undefined && atMs <= universe.nowMs)
  const [status = 'initialized', atMs = market.createdMs] = passed.at(-1) ?? []
  const wasDisputed = passed.some(([name]) => name === 'disputed')
  return { status, wasDisputed, atMs }
}
