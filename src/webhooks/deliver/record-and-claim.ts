import type { Pool } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import { receiverHealth, updateHealth } from './health.js'
import {
  type ClaimedDelivery,
  cancelClosed,
  claimDeliveries,
  type EndedAttempt,
  type LeaseCount,
  lockLanes,
  recordAttempts,
  selectLanes,
  updateNextLook,
} from './queries.js'

/** Lanes that one claim looks at because they are due. */
const LANES_MAX = 64

type ClaimRequest = {
  /** Attempts to be written. */
  ended: readonly EndedAttempt[]
  /** How many deliveries to take. */
  limit: number
  isHealthyOnly: boolean
  /** See `claimDeliveries`. */
  quick?: readonly LeaseCount[]
  nowMs: number
}

type ClaimResult = {
  claimed: ClaimedDelivery[]
  /** The attempts that are written, or whose webhook is gone. The rest is to be given again. */
  settled: ReadonlySet<EndedAttempt>
  /** Webhooks that have failed for too long. */
  failing: number[]
}

/**
 * Writes attempts that ended and takes deliveries that are due, in one transaction, because the end of
 * an attempt lets its webhook have another one. The lock on a lane orders all changes of the webhook's
 * deliveries. It is never waited for, so that no two transactions can wait for each other, and the
 * statements behind it see what the one before has committed.
 */
export function recordAndClaim(pool: Pool, request: ClaimRequest) {
  const { ended, limit, isHealthyOnly, quick = [], nowMs } = request
  const webhooks = [...new Set(ended.map(({ delivery }) => delivery.webhook))]
  return transact(pool, async (tx): Promise<ClaimResult> => {
    const laneLimit = Math.min(limit, LANES_MAX)
    const locked = await lockLanes(tx, { webhooks, limit: laneLimit, isHealthyOnly, nowMs })
    const lanes = locked.map(({ webhook }) => webhook)
    const closed = locked.filter(({ isOpen }) => !isOpen).map(({ webhook }) => webhook)
    const isLocked = new Set(lanes)
    const written = ended.filter(({ delivery }) => isLocked.has(delivery.webhook))
    const left = webhooks.filter((webhook) => !isLocked.has(webhook))

    // Sent without waiting for the answers in between; the database works on them one by one.
    const [, failing, , claimed, , existing] = await Promise.all([
      written.length > 0 ? recordAttempts(tx, written) : undefined,
      written.length > 0 ? updateHealth(tx, receiverHealth(written), nowMs) : [],
      closed.length > 0 ? cancelClosed(tx, closed, nowMs) : undefined,
      lanes.length > 0 && limit > 0 ? claimDeliveries(tx, { lanes, limit, quick, nowMs }) : [],
      lanes.length > 0 ? updateNextLook(tx, lanes, nowMs) : undefined,
      left.length > 0 ? selectLanes(tx, left) : new Set<number>(),
    ])
    const settled = ended.filter(({ delivery: { webhook } }) => {
      return isLocked.has(webhook) || !existing.has(webhook)
    })
    return { claimed, settled: new Set(settled), failing }
  })
}
