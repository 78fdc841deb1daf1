import type { OffsetLimit } from '../transport/paging.js'
import type { PathLimit } from '../transport/rate-limit.js'

const windowMs = 10_000

/** What the Data API publishes, per address. */
export const DATA_API_LIMITS: readonly PathLimit[] = [
  { paths: /^/, calls: 1_000, windowMs },
  { paths: /^\/trades$/, calls: 200, windowMs },
  { paths: /^\/v2\/trades$/, calls: 300, windowMs },
  { paths: /^(\/v2)?\/positions$/, calls: 150, windowMs },
  { paths: /^\/closed-positions$/, calls: 150, windowMs },
]

export const CLOSED_POSITION_PAGES: OffsetLimit = { rows: 50, offsetMax: 100_000 }
export const POSITION_PAGES: OffsetLimit = { rows: 500, offsetMax: 10_000 }
export const TRADE_PAGES: OffsetLimit = { rows: 1_000, offsetMax: 10_000 }
export const ACTIVITY_PAGES: OffsetLimit = { rows: 500, offsetMax: 10_000 }
export const LEADERBOARD_PAGES: OffsetLimit = { rows: 50, offsetMax: 1_000 }

export const HOLDERS_PER_TOKEN = 20
export const CONDITIONS_PER_CALL = 50
export const V2_ROWS_PER_PAGE = 500
