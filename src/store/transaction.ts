import { databaseCodeOf } from '../core/database-fault.js'
import { countLosses, type Pool, type Sql } from './connection.js'

/**
 * Runs `work` in a transaction: whole, or not at all. To be used instead of the driver's `begin`,
 * which does not survive the loss of its connection: it sends the rollback, and whatever else the
 * work asks for, to a socket that is gone (and ends the process), or to the connection that replaces it,
 * where no transaction is open.
 */
export function transact<T>(pool: Pool, work: (tx: Sql) => Promise<T>): Promise<T> {
  const state = { isOver: false }
  return new Promise<T>((resolve, reject) => {
    const begin = pool.begin(async (tx) => {
      const losses = countLosses(pool)
      const isLost = () => countLosses(pool) !== losses
      const check = () => {
        if (state.isOver || isLost()) throw new LostConnection('the transaction is over')
      }
      try {
        const value = await work(guard(tx, check))
        // The driver would write the commit to a socket that is gone, which ends the process.
        check()
        return { value }
      } catch (error) {
        // Of work that goes on in several branches only one has failed: what the others ask for from
        // now on would be done after the rollback, for good.
        state.isOver = true
        if (!isLoss(error) && !isLost()) throw error
        reject(error)
        return await forever
      }
    })
    begin
      .finally(() => {
        state.isOver = true
      })
      .then((result) => resolve((result as { value: T }).value), reject)
  })
}

const forever = new Promise<never>(() => undefined)

/** The transaction has ended or its connection is gone: nothing may be sent any more. */
class LostConnection extends Error {
  override name = 'LostConnection'
  readonly code = 'CONNECTION_CLOSED'
}

/** `check` throws when nothing may be sent any more. */
function guard(tx: Sql, check: () => void): Sql {
  return new Proxy(tx, {
    apply(target, receiver, args) {
      check()
      return Reflect.apply(target, receiver, args)
    },
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (name === 'unsafe') check()
      return value
    },
  })
}

// With the last two codes the server announces that it closes the connection.
const LOSSES = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  '57P01',
  '57P02',
])

const isLoss = (error: unknown): boolean => LOSSES.has(databaseCodeOf(error) ?? '')
