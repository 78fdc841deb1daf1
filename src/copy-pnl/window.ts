import { badRequest } from '../core/errors.js'
import { MILLISECONDS_MIN, parseUtcDay } from '../core/unix-time.js'
import { showValue } from '../lib/show-value.js'
import { DEFAULT_SLIPPAGE_BP } from './score.js'

type RequestedWindow = {
  period?: CopyPeriod | undefined
  from?: string | undefined
  to?: string | undefined
}

/** Unix seconds, both included. `days`: of the period; `null`: the caller gave an end of the window. */
export type CopyWindow = { fromSec: number; toSec: number; days: number | null }

const DEFAULT_PERIOD = '30d'

/** `from` and `to` go before the period, which has the length of a window with a `to` alone. */
export function resolveCopyWindow(requested: RequestedWindow, nowSec: number): CopyWindow {
  const days = COPY_PERIOD_DAYS[requested.period ?? DEFAULT_PERIOD]
  const isExplicit = requested.from !== undefined || requested.to !== undefined
  const toSec = requested.to === undefined ? nowSec : parseTime('to', requested.to)
  const fromSec = requested.from === undefined ? toSec - days * DAY_SEC : parseTime('from', requested.from)
  if (fromSec > toSec) {
    throw badRequest('Invalid range: `from` must not be later than `to`, which is now by default.')
  }
  if (fromSec > nowSec) throw badRequest('Invalid range: from `from` to `to` is wholly in the future.')
  if (toSec - fromSec > WINDOW_SEC_MAX) {
    throw badRequest(`Invalid range: from \`from\` to \`to\` are at most ${WINDOW_SEC_MAX / DAY_SEC} days.`)
  }
  return { fromSec: Math.max(0, fromSec), toSec, days: isExplicit ? null : days }
}

/** A day in UTC, from its midnight on, or Unix seconds. */
function parseTime(name: string, text: string): number {
  if (/^\d{1,16}$/.test(text)) {
    const seconds = Number(text)
    if (seconds < MILLISECONDS_MIN) return seconds
    const hint = `${name}=${Math.floor(seconds / 1000)}`
    throw badRequest(`Invalid ${name}: give Unix seconds, not milliseconds.`, { hint })
  }
  const midnight = parseUtcDay(text)
  if (midnight !== undefined && midnight >= 0) return midnight / 1000
  throw badRequest(`Invalid ${name}: give a day as 2026-11-16 or Unix seconds, not ${showValue(text)}.`)
}

export const BAD_SLIPPAGE = 'Invalid slippage: it must be a percentage from 0 to 100 with at most 2 decimals.'

/** Basis points of a percentage with at most two decimals. */
export function parseSlippage(text: string | undefined): number {
  if (text === undefined) return DEFAULT_SLIPPAGE_BP
  const [, whole = '', decimals = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(text) ?? []
  const basisPoints = Number(whole + decimals.padEnd(2, '0'))
  if (whole !== '' && basisPoints <= 10_000) return basisPoints
  throw badRequest(BAD_SLIPPAGE)
}

export const COPY_PERIODS = ['7d', '14d', '30d', '60d', '90d', '180d'] as const
export type CopyPeriod = (typeof COPY_PERIODS)[number]

export const COPY_PERIOD_DAYS: Readonly<Record<CopyPeriod, number>> = {
  '7d': 7,
  '14d': 14,
  '30d': 30,
  '60d': 60,
  '90d': 90,
  '180d': 180,
}

export const DAY_SEC = 24 * 60 * 60
/** No window is longer. */
const WINDOW_SEC_MAX = 180 * DAY_SEC

export const BAD_PERIOD = `Invalid period. Allowed: ${COPY_PERIODS.join(', ')}`
