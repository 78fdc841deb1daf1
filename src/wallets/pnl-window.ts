const DAY_SEC = 24 * 60 * 60

export const PNL_PERIODS = ['1d', '7d', '30d', '1y'] as const
export type PnlPeriod = (typeof PNL_PERIODS)[number]

const PERIOD_SEC: Readonly<Record<PnlPeriod, number>> = {
  '1d': DAY_SEC,
  '7d': 7 * DAY_SEC,
  '30d': 30 * DAY_SEC,
  '1y': 365 * DAY_SEC,
}

export type AskedTime = {
  period?: PnlPeriod | undefined
  after?: number | undefined
  before?: number | undefined
}

/** Unix seconds, both ends included. `before` undefined: up to the last block. */
export type PnlWindow = { after: number; before: number | undefined }

/** `undefined`: no time was asked for. `after` goes before `period`; the first second is 1. */
export function resolvePnlWindow(asked: AskedTime, nowSec: number): PnlWindow | undefined {
  const { period, after, before } = asked
  if (period === undefined && after === undefined && before === undefined) return undefined
  const start = after ?? (period === undefined ? 1 : nowSec - PERIOD_SEC[period])
  return { after: Math.max(start, 1), before }
}
