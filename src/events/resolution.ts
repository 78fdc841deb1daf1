/** What a result says about prices: all of it follows from the numerators. */
type Resolution = {
  payouts: readonly number[]
  /** Sum up to 1; zeros before there is a result. */
  prices: readonly number[]
  /** `undefined`: several outcomes pay. */
  winner: number | undefined
}

export function readResolution(payouts: readonly bigint[]): Resolution {
  const numbers = payouts.map(Number)
  const sum = numbers.reduce((total, payout) => total + payout, 0)
  const paying = numbers.filter((payout) => payout > 0).length
  return {
    payouts: numbers,
    prices: numbers.map((payout) => (sum === 0 ? 0 : payout / sum)),
    winner: paying === 1 ? numbers.findIndex((payout) => payout > 0) : undefined,
  }
}
