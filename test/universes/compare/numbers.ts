/** Dollars or shares, as most answers have them. */
export const decimal = (millionths: bigint): number => Number(millionths) / 1e6

/** Six decimals, always. */
export function decimalText(millionths: bigint): string {
  const digits = `${millionths < 0n ? -millionths : millionths}`.padStart(7, '0')
  return `${millionths < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/** Dollars for a share with 4 decimals, rounded half up; 0 without shares. */
export function priceOf(usd: bigint, shares: bigint): number {
  if (shares === 0n) return 0
  const whole = usd * 10_000n
  return Number(whole / shares + ((whole % shares) * 2n >= shares ? 1n : 0n)) / 1e4
}

export const sumOf = (numbers: Iterable<bigint>): bigint => {
  let sum = 0n
  for (const number of numbers) sum += number
  return sum
}
