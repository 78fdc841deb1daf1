/** As milliseconds it is 1973; as seconds it is the year 5138: a time below it is meant in seconds. */
export const MILLISECONDS_MIN = 100_000_000_000

/** The latest second that a column of times can have, in 2038. */
export const SECONDS_MAX = 2 ** 31 - 1

/** The same in milliseconds. */
export const MILLISECONDS_MAX = SECONDS_MAX * 1000 + 999

/** A bound of times as a column can be compared with it: nothing happens after the latest one. */
export const toTimeColumn = (timeSec: number): number => Math.min(timeSec, SECONDS_MAX)

/** `2026-01-31 12:00:00+00`: how the platform writes the time of an event of the catalogue or of figures. */
export const toTimestampText = (timeSec: number): string =>
  `${new Date(timeSec * 1000).toISOString().slice(0, 19).replace('T', ' ')}+00`

/** `2026-01-31T12:00:00.000Z`. */
export const toIsoTime = (timeSec: number): string => new Date(timeSec * 1000).toISOString()

/** `2026-01-31T12:00:00Z`: how the platform writes the end of a market. */
export const toIsoSecond = (timeSec: number): string => toIsoTime(timeSec).replace('.000', '')

/** `2026-01-31 12:00:00.000000`: how the platform writes when a price or a result was stored. */
export const toMicrosecondText = (timeMs: number): string =>
  `${new Date(timeMs).toISOString().slice(0, 23).replace('T', ' ')}000`

/** `2026-01-31T12:00:00.000000000+00:00`: how records and events of webhooks write a time. */
export const toNanosecondText = (timeMs: number): string =>
  `${new Date(timeMs).toISOString().slice(0, 23)}000000+00:00`

const DAY_MS = 24 * 60 * 60_000

/** `2026-01-31`. */
export const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The beginning of a day such as `2026-01-31`. `undefined`: there is no such day, as on the 30th of February. */
export function parseUtcDay(text: string): number | undefined {
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && utcDay(ms) === text ? ms : undefined
}

/** The next midnight. */
export const nextUtcDay = (ms: number): number => (Math.floor(ms / DAY_MS) + 1) * DAY_MS
