import type { ModelFill } from '../../trades/fill-model.js'
import type { Comparison, Row } from './comparison.js'
import { sumOf } from './numbers.js'
import { marketSteps } from './wallets.js'

/** A window has at most 180 days; the old era of a universe lies before this one. */
const WINDOW_SEC = 100 * 86_400
const BATCH_MAX = 100
const SLIPPAGE_BP = 200n
const BASIS = 10_000n
/** In ten-thousandths of a millionth, in which a slippage of basis points is exact. */
const CENT = 10_000n * BASIS
const PATH = '/v2/copy-pnl/batch'

/** What wallets got and paid in a window, and what a copier would have. */
export async function compareCopyPnl(comparison: Comparison): Promise<void> {
  const { model, sampled } = comparison
  const to = model.head.timeSec
  const from = to - WINDOW_SEC
  const addresses = sampled.wallets.slice(0, BATCH_MAX)
  const answer = await comparison.post(PATH, { addresses, from, to })
  if (answer === undefined) return
  const isRecent = ({ timeSec }: { timeSec: number }) => timeSec >= from
  const fills = model.fills.filter((fill) => !fill.isCombo && isRecent(fill))
  const activity = model.activity.filter((each) => !each.isCombo && isRecent(each))
  const steps = marketSteps(model).filter(isRecent)
  const expected = addresses.map((wallet): Row => {
    const own = fills.filter(({ maker }) => maker === wallet)
    const settled = activity.filter((each) => each.wallet === wallet)
    const realized = sumOf(steps.filter((step) => step.wallet === wallet).map(({ amount }) => amount))
    return {
      wallet,
      ...scoreOf(own, sumOf(settled.map(({ cash }) => cash))),
      total_realized_pnl_usdc: dollars(realized * BASIS),
      partial: false,
    }
  })
  comparison.rows(PATH, answer.results as Row[], expected, { key: ['wallet'] })
}

/** Sums are exact, and each figure is rounded to cents at the end, halves away from zero. */
function scoreOf(fills: readonly ModelFill[], settled: bigint): Row {
  const traded = sumOf(fills.map(({ isSell, usd }) => (isSell ? usd : -usd)))
  const exact = (traded + settled) * BASIS
  const friction = sumOf(fills.map(frictionOf))
  const actual = rounded(exact, CENT)
  const size = exact < 0n ? -exact : exact
  const rate = actual <= -100n || actual >= 100n ? rounded(friction * 10_000n, size) : null
  return {
    actual_pnl_usdc: dollars(exact),
    backtest_copy_pnl_usdc: dollars(exact - friction),
    slippage_amount_usdc: dollars(friction),
    slippage_cost_rate_pct: rate === null ? null : Number(rate) / 100,
    toxic_for_copying: rate !== null && rate > 1_500n,
    trade_count: fills.length,
  }
}

/** A copier pays two percent more, at most a dollar a share, or gets two percent less. */
function frictionOf({ isSell, usd, shares }: ModelFill): bigint {
  const worse = usd * SLIPPAGE_BP
  if (isSell || usd * BASIS + worse < shares * BASIS) return worse
  return usd < shares ? (shares - usd) * BASIS : 0n
}

const dollars = (exact: bigint): number => Number(rounded(exact, CENT)) / 100

function rounded(value: bigint, by: bigint): bigint {
  const size = value < 0n ? -value : value
  const nearest = (2n * size + by) / (2n * by)
  return value < 0n ? -nearest : nearest
}
