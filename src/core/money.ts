/**
 * Money and shares are whole millionths everywhere; here alone they become numbers and texts for
 * answers, and texts of callers become millionths.
 */
const MILLION = 1_000_000n

/**
 * Rounds once: the number is the one nearest to the decimal, and prints as that decimal up to a
 * billion.
 */
export const toDecimal = (millionths: bigint): number => Number(millionths) / 1e6

/** Six decimals, always: `0.050750`. */
export function toDecimalText(millionths: bigint): string {
  const sign = millionths < 0n ? '-' : ''
  const size = millionths < 0n ? -millionths : millionths
  return `${sign}${size / MILLION}.${(size % MILLION).toString().padStart(6, '0')}`
}

/** Rounded half up to 4 decimals; 0 where there are no shares. */
export function toPrice(usd: bigint, shares: bigint): number {
  return shares === 0n ? 0 : Number(tenThousandths(usd, shares)) / 1e4
}

/** The same price in millionths. */
export const toPriceMillionths = (usd: bigint, shares: bigint): bigint =>
  shares === 0n ? 0n : tenThousandths(usd, shares) * 100n

const tenThousandths = (usd: bigint, shares: bigint): bigint => (usd * 20_000n + shares) / (shares * 2n)

/** Millionths of a dollar for a share, rounded half up; 0 where there are no shares. */
export const pricePerShare = (usd: bigint, shares: bigint): bigint =>
  shares === 0n ? 0n : (2n * usd * MILLION + shares) / (2n * shares)

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

/** The same as text: `0.3100`. */
export const toPriceText = (usd: bigint, shares: bigint): string => toPrice(usd, shares).toFixed(4)

/** The millionths of digits with at most six decimals, such as `12.5`. */
export function parseMillionths(text: string): bigint {
  const [whole = '', decimals = ''] = text.split('.')
  return BigInt(whole) * MILLION + BigInt(decimals.padEnd(6, '0'))
}
