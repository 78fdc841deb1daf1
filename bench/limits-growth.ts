import { MemoryLimiter } from '../src/accounts/limiter.js'
import { systemClock } from '../src/core/clock.js'
import type { Bench } from './lib/bench.js'

const CHECKS = 300_000
const FEW = 10
const MANY = 100_000

export const limitsGrowth: Bench = {
  name: 'limits-growth',
  promise: `limit checks over ${MANY.toLocaleString('en-US')} accounts against checks over ${FEW}`,
  // The work is the same; what is left is that ten accounts fit into the processor's nearest cache.
  ratioMin: 0.3,
  unit: 'checks/s',
  async prepare() {
    const few = new MemoryLimiter(systemClock)
    const many = new MemoryLimiter(systemClock)
    return {
      ours: async () => measure(many, MANY),
      yardstick: async () => measure(few, FEW),
      close: async () => undefined,
    }
  },
}

function measure(limiter: MemoryLimiter, accounts: number): number {
  const startedAt = performance.now()
  for (let check = 0; check < CHECKS; check++) {
    limiter.take([{ bucket: 'v3', subject: check % accounts, limit: 4_000, windowMs: 60_000 }])
  }
  return CHECKS / ((performance.now() - startedAt) / 1000)
}
