import { parseInteger, refuseValue } from '../transport/parse-json.js'

/** Clocks differ a little; a price from further ahead is not one that can be known. */
const AHEAD_MS_MAX = 10_000
/** Before there was anything to price. Seconds that are taken for milliseconds fall behind it. */
export const EARLIEST_MS = Date.UTC(2020, 0, 1)

/** The Unix milliseconds of a price: a number, or a text that holds one. */
export function readMoment(value: unknown, path: string, nowMs: number): number {
  const ms = parseInteger(value, path)
  if (ms < EARLIEST_MS) return refuseValue(path, 'a time in milliseconds', value)
  return ms <= nowMs + AHEAD_MS_MAX
    ? ms
    : refuseValue(path, 'a time that is not in the future', value)
}
