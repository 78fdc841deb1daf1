import { toAmount } from '../markets/amounts.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import { Marks } from './marks.js'
import { measureUnrealized } from './performance.js'
import { Portfolio } from './portfolio.js'

/** Everything a wallet has made up to some moment, in dollars. Nobody is paid rebates or rewards here. */
export type PnlPoint = ReturnType<typeof showPoint>

/** One point per step of the grid in the span, and one for its end. Nothing before the first act. */
export function listPnl(
  universe: Universe,
  wallet: Wallet,
  { startMs, endMs, stepMs }: { startMs: number; endMs: number; stepMs: number },
): PnlPoint[] {
  const acts = universe.tape.ofWallet(wallet)
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
