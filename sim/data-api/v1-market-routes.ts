import { addAmounts } from '../markets/amounts.js'
import { readList } from '../server/query.js'
import type { Route } from './context.js'
import {
  listHolders,
  measureEventVolume,
  measureOpenInterest,
  measureTotalInterest,
  positionsIn,
} from './market-figures.js'
import { Marks } from './marks.js'
import type { PositionFigures } from './position-row.js'
import {
  BadRequest,
  DIRECTIONS,
  readAmount,
  readChoice,
  readLimit,
  readOptionalUser,
  readUser,
} from './query.js'
import { readMarkets } from './scope.js'
import { sortBy } from './sort.js'
import { countMarkets } from './wallet-figures.js'

const HOLDERS_MAX = 20

export const holders: Route = ({ universe }, query) => {
  const limit = readLimit(query, HOLDERS_MAX, HOLDERS_MAX)
  const amountMin = readAmount(query, 'min_balance') ?? 1
  return readMarkets(universe, query, 'market').flatMap(({ tokens }) =>
    tokens.map((token) => ({
      token: token.decimal,
      holders: listHolders(universe, token, limit, amountMin),
    })),
  )
}

/** Of the markets that are asked for, or of everything together. */
export const openInterest: Route = ({ universe }, query) => {
  if (readList(query, 'market').length > 0) {
    return readMarkets(universe, query, 'market').map((market) => ({
      market: market.conditionId,
      value: measureOpenInterest(universe, [market]),
    }))
  }
  return [{ market: 'GLOBAL', value: measureTotalInterest(universe) }]
}

export const liveVolume: Route = ({ universe }, query) => {
  const id = query.get('id')
  if (id === null || !/^\d+$/.test(id)) throw new BadRequest("invalid query param 'id'")
  const { total, markets } = measureEventVolume(universe, id)
  return [
    {
      total,
      markets: markets.map(({ market, value }) => ({ market: market.conditionId, value })),
    },
  ]
}

/** In how many markets the user ever traded. */
export const traded: Route = (api, query) => {
  const wallet = readUser(api.universe, query)
  const user = query.get('user')?.toLowerCase()
  return { user, traded: wallet === undefined ? 0 : countMarkets(api, wallet) }
}

const MARKET_POSITION_ORDERS = {
  TOKENS: (row: PositionFigures) => row.size,
  CASH_PNL: (row: PositionFigures) => row.cashPnl,
  REALIZED_PNL: (row: PositionFigures) => row.realizedPnl,
  TOTAL_PNL: (row: PositionFigures) => row.cashPnl + row.realizedPnl,
}

export const marketPositions: Route = (api, query) => {
  const [market] = readMarkets(api.universe, query, 'market')
  const user = readOptionalUser(api.universe, query)
  const status = readChoice(query, 'status', ['ALL', 'OPEN', 'CLOSED'])
  const order = readChoice(query, 'sort_by', ['TOTAL_PNL', 'TOKENS', 'CASH_PNL', 'REALIZED_PNL'])
  const direction = readChoice(query, 'sort_direction', DIRECTIONS)
  const limit = readLimit(query, 50, 500)
  if (market === undefined) return []

  const marks = new Marks(api.universe, api.universe.nowMs)
  const found = positionsIn(api, market, marks)
    .filter(({ wallet }) => user === undefined || wallet === user.wallet)
    .filter(({ size }) => status === 'ALL' || (status === 'OPEN') === size > 0)
  const sorted = sortBy(found, MARKET_POSITION_ORDERS[order], direction)
  return market.tokens.map((token) => ({
    token: token.decimal,
    positions: sorted
      .filter((figures) => figures.token === token)
      .slice(0, limit)
      .map(showMarketPosition),
  }))
}

const showMarketPosition = ({ wallet, token, names, ...figures }: PositionFigures) => ({
  proxyWallet: wallet.address,
  name: wallet.name,
  profileImage: wallet.profileImage,
  verified: wallet.verified,
  asset: token.decimal,
  conditionId: names.conditionId,
  avgPrice: figures.avgPrice,
  size: figures.size,
  currPrice: figures.curPrice,
  currentValue: figures.currentValue,
  cashPnl: figures.cashPnl,
  totalBought: figures.totalBought,
  realizedPnl: figures.realizedPnl,
  totalPnl: addAmounts(figures.cashPnl, figures.realizedPnl),
  outcome: names.outcome,
  outcomeIndex: token.outcome,
})
