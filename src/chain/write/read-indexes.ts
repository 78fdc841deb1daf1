import type { Pool } from '../../store/connection.js'
import { LOCKS } from '../../store/locks.js'
import { transact } from '../../store/transaction.js'

/** What lists of positions show. A query uses the indexes below only if it says exactly this. */
const LISTED = 'where is_combo = 0 and (bought > 0 or balance > 0)'

/**
 * What lists of closed positions show. A position is in these indexes only once it is closed, so that
 * the changes before it cost them nothing.
 */
const CLOSED = 'where is_combo = 0 and bought > 0 and balance < 10000'

/**
 * Indexes that only readers need, by their names. Each change of a position moves it in most of them:
 * while the history is read, that would take most of the time.
 */
const READ_INDEXES: Readonly<Record<string, string>> = {
  positions_wallet_realized: `positions (wallet, realized, token) ${LISTED}`,
  positions_wallet_balance: `positions (wallet, balance, token) ${LISTED}`,
  positions_wallet_bought: `positions (wallet, bought, token) ${LISTED}`,
  positions_wallet_last_sec: `positions (wallet, last_sec, token) ${LISTED}`,
  positions_closed_last_sec: `positions (wallet, last_sec, token) ${CLOSED}`,
  positions_closed_realized: `positions (wallet, realized, token) ${CLOSED}`,
  positions_closed_average: `positions
    (wallet, div(bought_cost * 1000000::numeric, bought), token) ${CLOSED}`,
  positions_token_realized: `positions (token, realized, wallet) ${LISTED}`,
  positions_token_balance: `positions (token, balance, wallet) ${LISTED}`,
  positions_token_bought: `positions (token, bought, wallet) ${LISTED}`,
  positions_last_sec: `positions (last_sec, wallet, token) ${LISTED}`,
  positions_realized: `positions (realized, wallet, token) ${LISTED}`,
  positions_balance: `positions (balance, wallet, token) ${LISTED}`,
  positions_bought: `positions (bought, wallet, token) ${LISTED}`,
  positions_combo: `positions (wallet, last_sec, token)
    where is_combo = 1 and (bought > 0 or balance > 0)`,
  positions_combo_held: 'positions (wallet, token) where is_combo = 1 and balance > 0',
  builder_days_day: 'builder_days (day, builder)',
  // Who traded a token since a time. A wallet that sold what it was sent counts, though it is not listed.
  positions_token_filled: 'positions (token, filled_sec, wallet)',
}

/** Builds those that are missing, one after the other; writers of that table wait. */
export async function buildReadIndexes(pool: Pool): Promise<void> {
  for (const [name, definition] of Object.entries(READ_INDEXES)) {
    await transact(pool, async (tx) => {
      await tx`set local statement_timeout = 0`
      await tx`select pg_advisory_xact_lock(${LOCKS.partitions})`
      await tx.unsafe(`create index if not exists ${name} on ${definition}`)
    })
  }
}
