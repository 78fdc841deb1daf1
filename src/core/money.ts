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
  const size = absolute(millionths)
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

/**
 * A plain decimal, such as `-12.5`, as an integer with that many decimals. Further digits are cut off,
 * or rounded half away from zero.
 */
export function parseUnits(decimal: string, decimals: number, isRounded = false): bigint {
  const [whole = '', fraction = ''] = decimal.replace('-', '').split('.')
  const units = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
  const size = isRounded && fraction.charAt(decimals) >= '5' ? units + 1n : units
  return decimal.startsWith('-') ? -size : size
}

export const parseMillionths = (decimal: string): bigint => parseUnits(decimal, 6)

/** For decimals of upstreams, which may have more digits than money has. */
export const roundToMillionths = (decimal: string): bigint => parseUnits(decimal, 6, true)

export const absolute = (amount: bigint): bigint => (amount < 0n ? -amount : amount)
