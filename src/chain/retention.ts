import type { Pool } from '../store/connection.js'
import { selectLastBlockBefore } from './queries.js'
import { dropOldPartitions } from './write/partitions.js'

const DAY_SEC = 24 * 60 * 60

/** Drops bulky facts that are older than this many days, as far as whole partitions are; 0 keeps all. */
export async function dropOldFacts(pool: Pool, nowMs: number, days: number): Promise<void> {
  if (days === 0) return
  const block = await selectLastBlockBefore(pool, Math.floor(nowMs / 1000) - days * DAY_SEC)
  if (block !== undefined) await dropOldPartitions(pool, block)
}
