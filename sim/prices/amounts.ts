/** Prices are whole 10^-8 dollars inside; hosts print them as the nearest JSON number … */
export const toUsd = (priceE8: number): number => priceE8 / 1e8

/** … as an integer with 18 decimals … */
export const toE18 = (priceE8: number): bigint => BigInt(priceE8) * 10_000_000_000n

/** … or as a plain decimal. */
export function toDecimal(priceE8: number): string {
  const digits = String(priceE8).padStart(9, '0')
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`
}
