import { toDecimal, toPrice } from '../core/money.js'
import type { CountedTrade } from './fact-queries.js'
import type { FailedScore, WindowScore } from './on-demand.js'
import type { PoolEntry } from './pool.js'
import type { StoredScore } from './pool-queries.js'
import { type CopyScore, copiedCash, isToxic, toCents } from './score.js'

const toDollars = (cents: bigint): number => Number(cents) / 100

const presentScore = (score: CopyScore, isPartial: boolean, computedSec: number) => ({
  actual_pnl_usdc: toDollars(score.actual),
  backtest_copy_pnl_usdc: toDollars(score.backtest),
  slippage_amount_usdc: toDollars(score.slippage),
  slippage_cost_rate_pct: score.rate === null ? null : Number(score.rate) / 100,
  toxic_for_copying: isToxic(score),
  trade_count: score.trades,
  partial: isPartial,
  computed_at: computedSec,
})

export const presentStoredScore = (score: StoredScore) =>
  presentScore(score, score.isPartial, score.computedSec)

/** `undefined`: its last scoring run did not fail. */
export const presentFailure = ({ error, errorSec }: PoolEntry) =>
  error === null || errorSec === null ? undefined : { error, ts: errorSec }

export function presentWindowScore(computed: WindowScore, nowSec: number) {
  const { address, facts, score, isPartial, realized, trades, elapsedMs } = computed
  const { window, slippageBp } = computed.order
  const { redemptions, merges, splits, conversions } = facts
  return {
    wallet: address,
    total_realized_pnl_usdc: toDollars(toCents(realized.realized)),
    ...presentScore(score, isPartial, nowSec),
    positions_closed: realized.closed,
    avg_entry_prob_weighted: realized.entryPrice,
    avg_hold_seconds_weighted: null,
    pnl_definition: 'cashflow' as const,
    applied_filters: {
      from: window.fromSec,
      to: window.toSec,
      window_days: window.days,
      slippage: slippageBp / 100,
    },
    sources: {
      window_trades: facts.trades,
      window_activity: redemptions + merges + splits + conversions,
      activity_breakdown: {
        redemption: redemptions,
        merge: merges,
        split: splits,
        conversion: conversions,
      },
      cashflow_breakdown: {
        actual_buy_cost: toDollars(toCents(facts.bought + facts.boughtCapped)),
        actual_sell_rev: toDollars(toCents(facts.sold)),
        settlement_in: toDollars(toCents(facts.redeemed + facts.merged + facts.converted)),
        settlement_out: toDollars(toCents(facts.split)),
      },
      fetch_ms: elapsedMs,
    },
    ...(trades !== undefined && {
      trades: trades.map((trade) => presentCopiedTrade(trade, slippageBp)),
      trades_truncated: trades.length < facts.trades,
    }),
  }
}

export const presentFailedScore = ({ address, error }: FailedScore) => ({ wallet: address, error })

function presentCopiedTrade(trade: CountedTrade, slippageBp: number) {
  const { timeSec, isBuy, usd, shares, facts } = trade
  return {
    ts: timeSec,
    side: isBuy ? ('BUY' as const) : ('SELL' as const),
    price: toPrice(usd, shares),
    shares: toDecimal(shares),
    actual_usd: toDecimal(usd),
    backtest_usd: toDecimal(copiedCash(facts, slippageBp)),
  }
}
