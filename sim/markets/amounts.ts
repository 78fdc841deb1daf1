/** Money and shares are whole millionths inside, and JSON numbers in rows. */
export const toAmount = (micros: number | bigint): number => Number(micros) / 1e6

/** The sum to the millionth, without the dust that adding fractions leaves. */
export const addAmounts = (a: number, b: number): number => Math.round((a + b) * 1e6) / 1e6

/** Rounds the noise of binary fractions away; nothing upstream shows has more digits. */
export const round = (value: number, digits = 6): number => Number(value.toFixed(digits))
