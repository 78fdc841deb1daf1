import type { PathLimit } from '../transport/rate-limit.js'

const windowMs = 10_000

/** What Gamma publishes, per address. */
export const GAMMA_LIMITS: readonly PathLimit[] = [
  { paths: /^/, calls: 4_000, windowMs },
  { paths: /^\/events/, calls: 500, windowMs },
  { paths: /^\/markets/, calls: 300, windowMs },
  { paths: /^\/(events|markets)(\/keyset)?$/, calls: 900, windowMs },
  { paths: /^\/tags/, calls: 200, windowMs },
  { paths: /^\/public-search/, calls: 350, windowMs },
]

/** How much one call may ask for. */
export const EVENT_SLUGS_MAX = 100
export const MARKET_IDS_MAX = 50
export const EVENTS_PER_PAGE = 100
export const MARKETS_PER_PAGE = 100
