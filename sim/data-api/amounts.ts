/** Money and shares are whole millionths inside, and JSON numbers in rows. */
export const toAmount = (micros: number | bigint): number => Number(micros) / 1e6

/** The sum to the millionth, without the dust that adding fractions leaves. */
export const addAmounts = (a: number, b: number): number => Math.round((a + b) * 1e6) / 1e6
