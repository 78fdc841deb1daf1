import type { PathLimit } from '../transport/rate-limit.js'

/** What the public endpoint was seen to allow; a node of one's own allows more. */
const CALLS_PER_SECOND = 17

export function polygonLimits(callsPerSecond = CALLS_PER_SECOND): readonly PathLimit[] {
  return [{ paths: /^/, calls: callsPerSecond * 10, windowMs: 10_000 }]
}
