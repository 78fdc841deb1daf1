import { readInteger, refuse } from '../transport/read.js'

/** Clocks differ a little; a price from further ahead is not one that can be known. */
const AHEAD_MS_MAX = 10_000

/** The Unix milliseconds of a price: a number, or a text that holds one. */
export function readMoment(value: unknown, path: string, nowMs: number): number {
  const ms = readInteger(value, path)
  if (ms <= 0) return refuse(path, 'a time', value)
  return ms <= nowMs + AHEAD_MS_MAX ? ms : refuse(path, 'a time that is not in the future', value)
}
