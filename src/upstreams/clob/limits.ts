import type { PathLimit } from '../transport/rate-limit.js'

const windowMs = 10_000

/** What the CLOB publishes, per address. */
export const CLOB_LIMITS: readonly PathLimit[] = [
  { paths: /^/, calls: 9_000, windowMs },
  { paths: /^\/book$/, calls: 1_500, windowMs },
  { paths: /^\/price$/, calls: 1_500, windowMs },
  { paths: /^\/midpoint$/, calls: 1_500, windowMs },
  { paths: /^\/books$/, calls: 500, windowMs },
  { paths: /^\/prices$/, calls: 500, windowMs },
  { paths: /^\/midpoints$/, calls: 500, windowMs },
  { paths: /prices-history$/, calls: 1_000, windowMs },
  { paths: /^\/tick-size/, calls: 200, windowMs },
]

/** How many tokens one call may ask for. */
export const TOKENS_MAX = 500
export const HISTORIES_MAX = 20
