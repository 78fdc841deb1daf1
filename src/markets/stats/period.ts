/** The periods of statistics: how many hours each has, and how often its snapshot is refreshed. */
export const STATS_PERIODS = {
  '1d': { hours: 24, refreshMs: 60_000 },
  '7d': { hours: 7 * 24, refreshMs: 5 * 60_000 },
  '30d': { hours: 30 * 24, refreshMs: 30 * 60_000 },
  all: { hours: Number.POSITIVE_INFINITY, refreshMs: 10 * 60_000 },
} as const

export type StatsPeriod = keyof typeof STATS_PERIODS

export const STATS_PERIOD_NAMES = Object.keys(STATS_PERIODS) as StatsPeriod[]

/** The first hour of a period that ends with the running one, in Unix time / 3600. 0: all of history. */
export function startHourOf(period: StatsPeriod, nowSec: number): number {
  return Math.max(Math.floor(nowSec / 3_600) + 1 - STATS_PERIODS[period].hours, 0)
}
