import { toAmount } from '../markets/amounts.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import { winsOf } from './boards.js'
import type { Route } from './context.js'
import { Marks, measureUnrealized } from './marks.js'
import { Portfolio } from './portfolio.js'
import { readChoice, readSpan, readUser } from './query.js'
import { readScope } from './scope.js'
import { countMarkets, measureValue, measureVolume } from './wallet-figures.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DAY_SEC = 86_400

const PNL_INTERVALS_MS = {
  '6h': 6 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '1d': DAY_MS,
  '1w': 7 * DAY_MS,
  '1m': 30 * DAY_MS,
  all: Number.POSITIVE_INFINITY,
  max: Number.POSITIVE_INFINITY,
}

const PNL_STEPS_MS = {
  '1h': HOUR_MS,
  '3h': 3 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '18h': 18 * HOUR_MS,
  '1d': DAY_MS,
}

export const valueV2: Route = (api, query) => {
  const wallet = readUser(api.universe, query)
  const scope = readScope(query, 'condition')
  if (wallet === undefined) return { data: null }
  return { data: { user: wallet.address, value: measureValue(api, wallet, scope) } }
}

export const userPnl: Route = ({ universe }, query) => {
  const wallet = readUser(universe, query)
  const interval = readChoice(query, 'interval', ['1d', '6h', '12h', '1w', '1m', 'all', 'max'])
  const fidelity = readChoice(query, 'fidelity', ['1h', '3h', '12h', '18h', '1d'])
  if (wallet === undefined) return { data: [] }
  const endMs = universe.nowMs
  const startMs = Math.max(0, endMs - PNL_INTERVALS_MS[interval])
  return { data: listPnl(universe, wallet, { startMs, endMs, stepMs: PNL_STEPS_MS[fidelity] }) }
}

/** `trades` counts markets. */
export const userStats: Route = (api, query) => {
  const { universe } = api
  const wallet = readUser(universe, query)
  if (wallet === undefined) return { data: null }
  const endMs = universe.nowMs
  const latest = listPnl(universe, wallet, { startMs: endMs, endMs, stepMs: HOUR_MS }).at(-1)
  return {
    data: {
      trades: countMarkets(api, wallet),
      biggest_win: Math.max(0, ...winsOf(api, wallet).map(({ pnl }) => pnl)),
      views: 0,
      join_date: Math.floor(wallet.createdMs / 1000),
      all_time_pnl: latest ?? null,
    },
  }
}

/** Bounds count in whole days. */
export const userVolume: Route = (api, query) => {
  const wallet = readUser(api.universe, query)
  const { startSec, endSec } = readSpan(query)
  if (wallet === undefined) return { data: null }
  const days = {
    startSec: Math.floor(startSec / DAY_SEC) * DAY_SEC,
    endSec: (Math.floor(endSec / DAY_SEC) + 1) * DAY_SEC - 1,
  }
  const { shares, usd } = measureVolume(api, wallet, days)
  return { data: { user: wallet.address, volume: shares, volume_usdc: usd } }
}

/** Everything a wallet has made up to some moment, in dollars. The simulator pays no rebates and no rewards. */
type PnlPoint = ReturnType<typeof showPoint>

/** One point per step of the grid in the span, and one for its end. Nothing before the first act. */
function listPnl(
  universe: Universe,
  wallet: Wallet,
  { startMs, endMs, stepMs }: { startMs: number; endMs: number; stepMs: number },
): PnlPoint[] {
  const acts = universe.settledActs.ofWallet(wallet)
  const [first] = acts
  if (first === undefined) return []
  const portfolio = new Portfolio(wallet)
  const points: PnlPoint[] = []
  let booked = 0
  const bookUntil = (atMs: number) => {
    for (let next = acts[booked]; next !== undefined; next = acts[booked]) {
      if (next.block.timestampSec * 1000 > atMs) break
      portfolio.book(next)
      booked += 1
    }
  }
  const fromMs = Math.max(startMs, first.block.timestampSec * 1000)
  const firstStepMs = Math.ceil(fromMs / stepMs) * stepMs
  for (let atMs = firstStepMs; atMs < endMs; atMs += stepMs) {
    bookUntil(atMs)
    points.push(showPoint(universe, portfolio, atMs))
  }
  bookUntil(endMs)
  points.push(showPoint(universe, portfolio, endMs))
  return points
}

function showPoint(universe: Universe, portfolio: Portfolio, atMs: number) {
  const { totals } = portfolio
  const realized = totals.realizedMarket + totals.realizedCombo
  const unrealized = measureUnrealized(portfolio, new Marks(universe, atMs))
  return {
    timestamp: Math.floor(atMs / 1000),
    realized_market_pnl: toAmount(totals.realizedMarket),
    realized_combo_pnl: toAmount(totals.realizedCombo),
    realized_lp_pnl: 0,
    realized_pnl: toAmount(realized),
    unrealized_pnl: toAmount(unrealized),
    total_pnl: toAmount(realized + unrealized),
    maker_rebate: 0,
    taker_rebate: 0,
    reward: 0,
    yield: 0,
    referral: 0,
    fees_paid: toAmount(-totals.fees),
    volume: toAmount(totals.shares),
    volume_usdc: toAmount(totals.usd),
    trade_count: totals.trades,
  }
}
