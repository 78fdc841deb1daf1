/**
 * Values as PostgreSQL takes them from JSON. Whatever Gamma sends ends in a value that the column
 * can hold, or in null: one odd field must not keep a whole page from being written.
 */
const INTEGER_MAX = 2 ** 31 - 1
const UNSTORABLE = /[\0\p{Surrogate}]/gu
// Long enough for every text that means something; longer ones would not fit into an index.
const TEXT_LENGTH_MAX = 2_000
// The years 1 to 9999.
const TIME_MS_MIN = -62_135_596_800_000
const TIME_MS_MAX = 253_402_300_799_999

export function toText(text: string | undefined): string | null {
  return text === undefined ? null : text.slice(0, TEXT_LENGTH_MAX).replace(UNSTORABLE, '')
}

/** A fraction of the milliseconds is kept to the microsecond. */
export function toTime(ms: number | undefined): string | null {
  const fits = ms !== undefined && ms >= TIME_MS_MIN && ms <= TIME_MS_MAX
  if (!fits) return null
  const wholeMs = Math.floor(ms)
  // Rounded: the number is not exactly what was written, only next to it.
  const microseconds = Math.min(999, Math.round((ms - wholeMs) * 1000))
  return `${new Date(wholeMs).toISOString().slice(0, -1)}${String(microseconds).padStart(3, '0')}Z`
}

export function toInteger(value: number | undefined): number | null {
  return Number.isInteger(value) && Math.abs(value ?? 0) <= INTEGER_MAX ? (value ?? null) : null
}

export const toBytes = (word: string | undefined): string | null =>
  word === undefined ? null : `\\x${word.slice(2)}`

const ID = /^\d{1,10}$/

/** `undefined`: not an id that the catalogue can keep. */
export function toId(text: string | undefined): number | undefined {
  if (text === undefined || !ID.test(text)) return undefined
  const id = Number(text)
  return id <= INTEGER_MAX ? id : undefined
}

const DATE = /^\d{4}-(0[1-9]|1[0-2])-\d\d$/

/** A day as Gamma writes it; days that no calendar has are left out. */
export function toDate(text: string | undefined): string | null {
  if (text === undefined || !DATE.test(text) || text.startsWith('0000')) return null
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? text : null
}
