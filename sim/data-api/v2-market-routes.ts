import { readList } from '../server/query.js'
import type { Market } from '../universe/market.js'
import { winnerOf } from '../universe/outcomes.js'
import type { Universe } from '../universe/universe.js'
import { toSnakeRow } from './casing.js'
import type { Route } from './context.js'
import { listHolders, measureEventVolume, measureOpenInterest } from './market-figures.js'
import { BadRequest, readAmount, readLimit } from './query.js'
import { readMarkets } from './scope.js'

const HOLDERS = 20
const HOLDERS_MAX = 500

export const holdersV2: Route = ({ universe }, query) => {
  const limit = readLimit(query, HOLDERS, HOLDERS_MAX)
  const amountMin = readAmount(query, 'min_balance') ?? 1
  const data = readMarkets(universe, query, 'condition').flatMap(({ conditionId, tokens }) =>
    tokens.map((token) => ({
      condition_id: conditionId,
      token_id: token.decimal,
      holders: listHolders(universe, token, limit, amountMin).map(toSnakeRow),
    })),
  )
  return { data }
}

export const openInterestV2: Route = ({ universe }, query) => ({
  data: readMarkets(universe, query, 'condition').map((market) => ({
    condition_id: market.conditionId,
    value: measureOpenInterest(universe, [market]),
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
    ? readMarkets(universe, query, 'condition')
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

export const status: Route = ({ universe }) => {
  const { head } = universe.chain
  return {
    data: { status: 'ok', block_number: head.number, block_timestamp: head.timestampSec },
  }
}

function readEventIds(query: URLSearchParams): string[] {
  const ids = readList(query, 'event_id')
  if (ids.length > 0 && ids.every((id) => /^\d+$/.test(id))) return ids
  throw new BadRequest("invalid query param 'event_id'")
}
