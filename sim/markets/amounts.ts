/** Money and shares are whole millionths inside, and JSON numbers in rows. */
export const toAmount = (micros: number | bigint): number => Number(micros) / 1e6

/** The sum to the millionth, without the dust that adding fractions leaves. */
export const addAmounts = (a: number, b: number): number => Math.round((a + b) * 1e6) / 1e6

/** Rounds the noise of binary fractions away; nothing upstream shows has more digits. */
export const round = (value: number, digits = 6): number => Number(value.toFixed(digits))

/** `2026-10-03T04:05:00Z`, with a fraction of a second only where there is one. */
export const isoTime = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')

export const isoDate = (ms: number): string => isoTime(ms).slice(0, 10)

/** The database's own form, which a few fields show: `2026-10-03 04:05:00+00`. */
export const databaseTime = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}+00`
