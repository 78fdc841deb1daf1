import { MILLISECONDS_MAX, MILLISECONDS_MIN } from '../core/unix-time.js'

/** What a client asks to have replayed. `speed`: how much faster than it happened; Infinity: as fast as the client reads. */
export type ReplayRange = { fromMs: number; toMs: number; speed: number; isPaused: boolean }

/** A parameter that is missing or wrong, and what is wrong with it. */
export type RangeFault = { field: string; message: string }

const SPEED_MAX = 100

/** Reads the parameters of a replay. Events that are still to come have not been published. */
export function readReplayRange(parameters: URLSearchParams, nowMs: number): ReplayRange | RangeFault {
  const repeated = ['from', 'to', 'speed', 'paused'].find((name) => parameters.getAll(name).length > 1)
  if (repeated !== undefined) return { field: repeated, message: `\`${repeated}\` is given more than once` }
  const from = readTime('from', parameters.get('from'), nowMs)
  if (typeof from === 'object') return from
  const to = readTime('to', parameters.get('to'), nowMs)
  if (typeof to === 'object') return to
  if (to <= from) return { field: 'to', message: '`to` is not after `from`' }
  const speed = readSpeed(parameters.get('speed'))
  if (speed === undefined) {
    return { field: 'speed', message: `\`speed\` must be a number from 1 to ${SPEED_MAX}, or max` }
  }
  const paused = parameters.get('paused') ?? '0'
  if (paused !== '0' && paused !== '1') return { field: 'paused', message: '`paused` must be 0 or 1' }
  return { fromMs: from, toMs: to, speed, isPaused: paused === '1' }
}

function readTime(field: string, text: string | null, nowMs: number): number | RangeFault {
  if (text === null || text === '') return { field, message: `\`${field}\` is missing` }
  const ms = parseReplayTime(text)
  if (ms === undefined) {
    return {
      field,
      message: `\`${field}\` must be a time: Unix seconds or milliseconds, or as 2026-01-31T12:00:00Z`,
    }
  }
  return ms > nowMs ? { field, message: `\`${field}\` is in the future` } : ms
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/

/** Unix milliseconds; `undefined`: it is no time. */
export function parseReplayTime(value: unknown): number | undefined {
  if (typeof value === 'string' && ISO_TIME.test(value)) return toValid(Date.parse(value))
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d{1,13}$/.test(value))
  if (!isNumber) return undefined
  const number = Number(value)
  return toValid(number < MILLISECONDS_MIN ? number * 1000 : number)
}

const toValid = (ms: number): number | undefined =>
  Number.isInteger(ms) && ms >= 0 && ms <= MILLISECONDS_MAX ? ms : undefined

/** `undefined`: it is no speed. */
function readSpeed(text: string | null): number | undefined {
  if (text === null) return 1
  if (text === 'max') return Number.POSITIVE_INFINITY
  const speed = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) : 0
  return speed >= 1 && speed <= SPEED_MAX ? speed : undefined
}
