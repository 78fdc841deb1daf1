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
export const WINDOW_SEC_MAX = 180 * DAY_SEC

export const BAD_PERIOD = `Invalid period. Allowed: ${COPY_PERIODS.join(', ')}`
