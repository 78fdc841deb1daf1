import { readFlag, readList } from '../server/query.js'
import type { Market, Token } from '../universe/market.js'
import { toSnakeRow } from './casing.js'
import type { Api, Route } from './context.js'
import {
  listHolders,
  measureOpenInterest,
  measureTakerShares,
  measureTotalInterest,
  positionsIn,
} from './market-figures.js'
import { Marks } from './marks.js'
import { toPositionRowV2 } from './position-row.js'
import { BadRequest, readAmount } from './query.js'
import { isEventId, readMarkets } from './scope.js'
import { pageOfList } from './v2-page.js'

const RULE = { list: 'holders', usual: 100, max: 1_000 }
const RULE_WITH_PNL = { ...RULE, max: 100 }

/** The limit counts holders; those of a page are grouped by token. */
export const holdersV2: Route = (api, query) => {
  const withPnl = readFlag(query, 'include_pnl') === true
  const page = pageOfList(withPnl ? RULE_WITH_PNL : RULE, query, (bound) => {
    const amountMin = readAmount(bound, 'min_balance') ?? 1
    const markets = readMarkets(api.universe, bound, 'condition_id')
    if (withPnl && readList(bound, 'condition_id').length !== 1) {
      throw new BadRequest("'include_pnl' requires exactly one 'condition_id'")
    }
    return markets.flatMap((market) => {
      const show = withPnl ? showWithPnl(api, market) : showPlain
      return market.tokens.flatMap((token) => {
        const holders = listHolders(api.universe, token, Number.POSITIVE_INFINITY, amountMin)
        return holders.map((holder) => show(token, holder))
      })
    })
  })
  return { ...page, data: groupByToken(page.data as readonly ShownHolder[]) }
}

type Holder = ReturnType<typeof listHolders>[number]
type ShownHolder = { token_id: string }

const showPlain = (token: Token, holder: Holder): ShownHolder => ({
  ...toSnakeRow(holder),
  token_id: token.decimal,
})

function showWithPnl(api: Api, market: Market): typeof showPlain {
  const marks = new Marks(api.universe, api.universe.nowMs)
  const rows = positionsIn(api, market, marks).map(toPositionRowV2)
  const known = new Map(rows.map((row) => [`${row.token_id} ${row.proxy_wallet}`, row]))
  return (token, holder) => {
    const row = known.get(`${token.decimal} ${holder.proxyWallet}`)
    return {
      ...showPlain(token, holder),
      avg_price: row?.avg_price,
      entry_cost_usdc: row?.entry_cost_usdc,
      current_price: row?.current_price,
      current_value: row?.current_value,
      realized_pnl: row?.realized_pnl,
      unrealized_pnl: row?.unrealized_pnl,
      total_pnl: row?.total_pnl,
    }
  }
}

function groupByToken(holders: readonly ShownHolder[]) {
  const groups = new Map<string, ShownHolder[]>()
  for (const holder of holders) {
    groups.set(holder.token_id, [...(groups.get(holder.token_id) ?? []), holder])
  }
  return [...groups].map(([token_id, found]) => ({ token_id, holders: found }))
}

/** Of the markets that are asked for, or of everything together. */
export const openInterestV2: Route = ({ universe }, query) => {
  if (!query.has('condition_id')) {
    return { data: [{ condition_id: 'GLOBAL', value: measureTotalInterest(universe) }] }
  }
  const markets = readMarkets(universe, query, 'condition_id')
  return {
    data: markets.map((market) => ({
      condition_id: market.conditionId,
      value: measureOpenInterest(universe, [market]),
    })),
  }
}

/** Of all the events together, in shares. */
export const liveVolumeV2: Route = ({ universe }, query) => {
  const markets = readEventIds(query).flatMap((id) => universe.catalogue.eventById(id)?.markets ?? [])
  return {
    data: {
      taker_volume_total: measureTakerShares(universe, markets),
      conditions: markets.map((market) => ({
        condition_id: market.conditionId,
        taker_volume: measureTakerShares(universe, [market]),
      })),
    },
  }
}

export const status: Route = ({ universe }) => {
  const { head } = universe.chain
  return {
    data: { status: 'ok', block_number: head.number, block_timestamp: head.timestampSec },
  }
}

export function readEventIds(query: URLSearchParams): string[] {
  const ids = readList(query, 'event_id')
  if (ids.length > 0 && ids.every(isEventId)) return ids
  throw new BadRequest("invalid query param 'event_id'")
}
