import { createPool, type Pool, type Target } from '../store/connection.js'

/** One connection holds the lock, one reads rows, and one reads the data for the manifest of a day. */
const CONNECTIONS = 3

/** Connections of its own, because a day takes minutes. They do not end by their age, as those of other pools do. */
export const openArchivePool = (target: Target): Pool =>
  createPool(target, CONNECTIONS, { onClose: () => undefined })

/**
 * Takes a connection out of the pool. The driver never gives one that it would have to open for this first: a query
 * before opens it.
 */
export async function reserveSession(pool: Pool): Promise<Awaited<ReturnType<Pool['reserve']>>> {
  await pool`select 1`
  return await pool.reserve()
}
