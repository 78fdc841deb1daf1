import { OperatorError } from '../../core/errors.js'
import { withLinked } from '../../lib/abort.js'
import { createPool, type Target } from '../../store/connection.js'
import { LOCKS } from '../../store/locks.js'

const LOST = 'The database closed the connection. Run the same command again to go on.'

/**
 * Runs `work` while no other backfill runs on the database. The lock belongs to one connection and
 * ends with it, however the process ends; when it is lost the signal of the work aborts.
 */
export function withBackfillLock<T>(
  target: Target,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withLinked([signal], async (linked) => {
    const lose = () => linked.abort(new OperatorError(LOST))
    const session = createPool(target, 1, lose)
    try {
      const [row] = await session<{ isHeld: boolean }[]>`
        select pg_try_advisory_lock(${LOCKS.backfill}) as is_held`
      if (row?.isHeld !== true) {
        throw new OperatorError('Another backfill is running on this database: one at a time.')
      }
      return await work(linked.signal)
    } catch (error) {
      linked.signal.throwIfAborted()
      throw error
    } finally {
      await session.end({ timeout: 0 })
    }
  })
}
