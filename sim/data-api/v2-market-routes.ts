import { readList } from '../server/query.js'
import type { Market, Outcome, Payouts } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { toAmount } from './amounts.js'
import { toSnakeRow } from './casing.js'
import type { Route } from './context.js'
import { measureEventVolume } from './event-volume.js'
import { listHolders } from './holders.js'
import { BadRequest, readAmount, readLimit } from './query.js'
import { readConditions } from './scope.js'

const HOLDERS = 20
const HOLDERS_MAX = 500
const CONDITIONS_MAX = 20

export const holdersV2: Route = ({ universe }, query) => {
  const limit = readLimit(query, HOLDERS, HOLDERS_MAX)
  const amountMin = readAmount(query, 'min_balance') ?? 1
  const data = readMarkets(universe, query).flatMap(({ conditionId, tokens }) =>
    tokens.map((token) => ({
      condition_id: conditionId,
      token_id: token.decimal,
      holders: listHolders(universe, token, limit, amountMin).map(toSnakeRow),
    })),
  )
  return { data }
}

export const openInterestV2: Route = ({ universe }, query) => ({
  data: readMarkets(universe, query).map((market) => ({
    condition_id: market.conditionId,
    value: toAmount(universe.tape.stats(market).openInterest),
  })),
})

export const liveVolumeV2: Route = ({ universe }, query) => ({
  data: readEventIds(query).flatMap((id) => {
    const { total, markets } = measureEventVolume(universe, id)
    const rows = markets.map(({ market, value }) => ({ condition_id: market.conditionId, value }))
    return rows.length === 0 ? [] : [{ event_id: id, total, markets: rows }]
  }),
})

/** By conditions or by events, never by both. */
export const resolutions: Route = ({ universe }, query) => {
  const hasConditions = query.has('condition')
  if (hasConditions === query.has('event_id')) {
    throw new BadRequest("exactly one of 'condition' and 'event_id' is required")
  }
  const markets = hasConditions
    ? readMarkets(universe, query)
    : readEventIds(query).flatMap((id) => universe.catalogue.eventById(id)?.markets ?? [])
  return { data: markets.map((market) => showResolution(universe, market)) }
}

function showResolution(universe: Universe, market: Market) {
  const payouts = universe.payouts(market)
  const winner = payouts === undefined ? undefined : winnerOf(payouts)
  return {
    condition_id: market.conditionId,
    question_id: market.questionId,
    event_id: market.event.id,
    status: payouts === undefined ? 'open' : 'resolved',
    payouts: payouts ?? [],
    winning_outcome: winner === undefined ? '' : market.outcomes[winner],
    winning_outcome_index: winner ?? 999,
    resolved_at: payouts === undefined ? 0 : Math.floor(market.resolvesMs / 1000),
  }
}

/** `undefined`: a draw. */
function winnerOf([first, second]: Payouts): Outcome | undefined {
  return first === second ? undefined : first > second ? 0 : 1
}

export const status: Route = ({ universe }) => {
  const { head } = universe.chain
  return {
    data: { status: 'ok', block_number: head.number, block_timestamp: head.timestampSec },
  }
}

/** Markets that nobody knows are left out. */
function readMarkets(universe: Universe, query: URLSearchParams): Market[] {
  const conditions = readConditions(query, 'condition')
  if (conditions.length === 0) throw new BadRequest("required query param 'condition' not provided")
  if (conditions.length > CONDITIONS_MAX) throw new BadRequest("too many values in 'condition'")
  return conditions.flatMap((id) => universe.catalogue.marketByCondition(id) ?? [])
}

function readEventIds(query: URLSearchParams): string[] {
  const ids = readList(query, 'event_id')
  if (ids.length > 0 && ids.every((id) => /^\d+$/.test(id))) return ids
  throw new BadRequest("invalid query param 'event_id'")
}
