import { databaseCodeOf } from '../core/database-fault.js'
import type { Pool, Sql } from './connection.js'

/**
 * Runs `work` in a transaction: whole, or not at all. To be used in place of the driver's `begin`,
 * which does not survive the loss of its connection: it sends the rollback, and whatever else the
 * work asks for, to a socket that is gone (and ends the process), or to the next connection that
 * takes its place, where no transaction is open.
 */
export function transact<T>(pool: Pool, work: (tx: Sql) => Promise<T>): Promise<T> {
  const state = { isOver: false }
  return new Promise<T>((resolve, reject) => {
    const begin = pool.begin(async (tx) => {
      try {
        return { value: await work(guard(tx, state)) }
      } catch (error) {
        // Of work that goes on in several branches only one has failed: what the others ask for from
        // now on would be done after the rollback, for good.
        state.isOver = true
        if (!isLoss(error)) throw error
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

function guard(tx: Sql, state: { isOver: boolean }): Sql {
  const check = () => {
    if (state.isOver) throw new LostConnection('the transaction is over')
  }
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
