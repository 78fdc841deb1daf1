/**
 * Money and shares are whole millionths everywhere; here alone they become numbers for JSON. The
 * division rounds once: the number is the one nearest to the decimal, and prints as that decimal up
 * to a billion.
 */
export const toDecimal = (millionths: bigint): number => Number(millionths) / 1e6

/** Rounded half up to 4 decimals; 0 where there are no shares. */
export function toPrice(usd: bigint, shares: bigint): number {
  if (shares === 0n) return 0
  return Number((usd * 20_000n + shares) / (shares * 2n)) / 1e4
}

/**
 * The largest amount that is booked, in millionths: no real amount reaches nine billion dollars.
 * Logs with larger amounts go into quarantine.
 */
export const AMOUNT_MAX = 2n ** 53n - 1n

type Fee = { fee: bigint; isFeeInShares: boolean; usd: bigint; shares: bigint }

/** The fee of a fill in money. A fee in shares is valued at the price of the fill, rounded down. */
export function feeInMoney({ fee, isFeeInShares, usd, shares }: Fee): bigint {
  if (!isFeeInShares || fee === 0n) return fee
  return shares === 0n ? 0n : (fee * usd) / shares
}
