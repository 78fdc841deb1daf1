/**
 * The arithmetic of copy-pnl. A copier makes each trade of a wallet at a price that is worse by the
 * slippage, never above a dollar, and settles as the wallet does. Open positions count as what was paid
 * for them: this is cash, not value.
 *
 * Everything is whole numbers. Money is millionths; what a copier pays or gets is ten-thousandths of
 * them, so that a slippage in basis points is exact for each fill and for every sum. It is rounded once,
 * at the end.
 */

/** Sums over facts of a wallet. Money is millionths and never negative. */
export type FactSums = {
  trades: number
  /** Paid in fills whose price with the slippage stays below a dollar. */
  bought: bigint
  /** Paid in all other fills. */
  boughtCapped: bigint
  /** What a copier pays for those: a dollar a share, or the wallet's own price where that is higher. */
  copiedCapped: bigint
  sold: bigint
  redemptions: number
  redeemed: bigint
  merges: number
  merged: bigint
  splits: number
  split: bigint
  conversions: number
  /** The money that conversions returned. */
  converted: bigint
}

export const NO_FACTS: FactSums = {
  trades: 0,
  bought: 0n,
  boughtCapped: 0n,
  copiedCapped: 0n,
  sold: 0n,
  redemptions: 0,
  redeemed: 0n,
  merges: 0,
  merged: 0n,
  splits: 0,
  split: 0n,
  conversions: 0,
  converted: 0n,
}

export const addFacts = (a: FactSums, b: FactSums): FactSums => ({
  trades: a.trades + b.trades,
  bought: a.bought + b.bought,
  boughtCapped: a.boughtCapped + b.boughtCapped,
  copiedCapped: a.copiedCapped + b.copiedCapped,
  sold: a.sold + b.sold,
  redemptions: a.redemptions + b.redemptions,
  redeemed: a.redeemed + b.redeemed,
  merges: a.merges + b.merges,
  merged: a.merged + b.merged,
  splits: a.splits + b.splits,
  split: a.split + b.split,
  conversions: a.conversions + b.conversions,
  converted: a.converted + b.converted,
})

export const BASIS = 10_000n
/** Of the scores that pools have: 2 %. */
export const DEFAULT_SLIPPAGE_BP = 200

/** Money is cents, rate hundredths of a percent; `null`: the actual P&L is below a dollar. */
export type CopyScore = {
  actual: bigint
  backtest: bigint
  slippage: bigint
  rate: bigint | null
  trades: number
}

const RATE_MIN_ACTUAL = 100n
const TOXIC_ABOVE = 1_500n

/**
 * The score of these facts, for the slippage that they were summed with. Each figure is rounded from its
 * exact value, halves away from zero: the cents of the slippage may differ by one from those of the
 * difference. The rate is `null` and a wallet toxic by the rounded figures, so that a score agrees with
 * itself.
 */
export function toCopyScore(facts: FactSums, slippageBp: number): CopyScore {
  const friction = frictionOf(facts, BigInt(slippageBp))
  const exact = actualOf(facts) * BASIS
  const actual = roundedDivision(exact, CENT)
  const size = exact < 0n ? -exact : exact
  const isRated = (actual < 0n ? -actual : actual) >= RATE_MIN_ACTUAL
  return {
    actual,
    backtest: roundedDivision(exact - friction, CENT),
    slippage: roundedDivision(friction, CENT),
    rate: isRated ? roundedDivision(friction * 10_000n, size) : null,
    trades: facts.trades,
  }
}

export const isToxic = ({ rate }: Pick<CopyScore, 'rate'>): boolean => rate !== null && rate > TOXIC_ABOVE

/** What a copier pays or gets in the fills, in millionths, rounded to the nearest. */
export function copiedCash(facts: FactSums, slippageBp: number): bigint {
  const { bought, boughtCapped, sold } = facts
  const friction = frictionOf(facts, BigInt(slippageBp))
  const exact = (bought + boughtCapped - sold) * BASIS + friction
  return roundedDivision(exact < 0n ? -exact : exact, BASIS)
}

function actualOf(facts: FactSums): bigint {
  const { bought, boughtCapped, sold, redeemed, merged, split, converted } = facts
  return sold - bought - boughtCapped + redeemed + merged + converted - split
}

/** What the copier loses to the slippage, in ten-thousandths of a millionth. */
function frictionOf(facts: FactSums, slippageBp: bigint): bigint {
  const { bought, boughtCapped, copiedCapped, sold } = facts
  return (bought + sold) * slippageBp + (copiedCapped - boughtCapped) * BASIS
}

/** Cents of millionths, rounded as a score is. */
export const toCents = (millionths: bigint): bigint => roundedDivision(millionths, 10_000n)

/** A cent, in ten-thousandths of a millionth. */
const CENT = 10_000n * BASIS

/** To the nearest, halves away from zero. */
function roundedDivision(value: bigint, by: bigint): bigint {
  const size = value < 0n ? -value : value
  const rounded = (2n * size + by) / (2n * by)
  return value < 0n ? -rounded : rounded
}
