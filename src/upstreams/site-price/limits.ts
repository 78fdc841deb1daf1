import type { PathLimit } from '../transport/rate-limit.js'

/** Nothing is published for the site; this is as fast as one of its own pages would be in a hurry. */
export const SITE_PRICE_LIMITS: readonly PathLimit[] = [
  { paths: /^/, calls: 100, windowMs: 10_000 },
]
