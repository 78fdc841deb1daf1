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
  const scope = readScope(query, 'condition_id')
  const value = wallet === undefined ? 0 : measureValue(api, wallet, scope)
  return { data: { proxy_wallet: addressIn(query), value } }
}

export const userPnl: Route = ({ universe }, query) => {
  const wallet = readUser(universe, query)
  const interval = readChoice(query, 'interval', ['1d', '6h', '12h', '1w', '1m', 'all', 'max'])
  const fidelity = readChoice(query, 'fidelity', ['1h', '3h', '12h', '18h', '1d'])
  const endMs = universe.nowMs
  const startMs = Math.max(0, endMs - PNL_INTERVALS_MS[interval])
  const span = { startMs, endMs, stepMs: PNL_STEPS_MS[fidelity] }
  const points = wallet === undefined ? [] : listPnl(universe, wallet, span)
  const proxy_wallet = addressIn(query)
  return { data: { proxy_wallet, interval, fidelity, source_fidelity: fidelity, points } }
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
      proxy_wallet: wallet.address,
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
  if (wallet === undefined) return { data: { volume: 0, volume_usdc: 0, trade_count: 0 } }
  const days = {
    startSec: Math.floor(startSec / DAY_SEC) * DAY_SEC,
    endSec: (Math.floor(endSec / DAY_SEC) + 1) * DAY_SEC - 1,
  }
  const { shares, usd, trades } = measureVolume(api, wallet, days)
  return { data: { volume: shares, volume_usdc: usd, trade_count: trades } }
}

/** Also of one that never traded. */
const addressIn = (query: URLSearchParams): string => query.get('user')?.toLowerCase() ?? ''

/** Everything a wallet has made up to some moment, in dollars. The simulator pays no rebates and no rewards. */
type PnlPoint = { source_block: number } & ReturnType<typeof showPoint>

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
  const addPoint = (atMs: number) => {
    for (let next = acts[booked]; next !== undefined; next = acts[booked]) {
      if (next.block.timestampSec * 1000 > atMs) break
      portfolio.book(next)
      booked += 1
    }
    const block = acts[booked - 1]?.block.number ?? 0
    points.push({ source_block: block, ...showPoint(universe, portfolio, atMs) })
  }
  const fromMs = Math.max(startMs, first.block.timestampSec * 1000)
  const firstStepMs = Math.ceil(fromMs / stepMs) * stepMs
  for (let atMs = firstStepMs; atMs < endMs; atMs += stepMs) addPoint(atMs)
  addPoint(endMs)
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
    position_pnl: toAmount(realized + unrealized),
    settled_pnl: toAmount(realized),
    economic_pnl: toAmount(realized + unrealized),
    maker_rebate: 0,
    taker_rebate: 0,
    reward_income: 0,
    yield_income: 0,
    referral_income: 0,
    wallet_income: 0,
    fees_paid: toAmount(-totals.fees),
    volume: toAmount(totals.shares),
    volume_usdc: toAmount(totals.usd),
    trade_count: totals.trades,
  }
}
