import { type ArchiveTable, moneyOf, type SqlColumn, sqlTable, timeOfSec } from '../tables/archive-table.js'
import { idColumns, joinOf } from '../tables/id-columns.js'
import { DAY_END_SCHEMA, foldDayEnd } from './day-end-ledger.js'

const CHANGED = sqlTable({
  name: 'positions',
  follows: 'ledger',
  columns: [
    ...idColumns('wallet', 'p.wallet', 'wallets'),
    ...idColumns('token', 'p.token', 'tokens'),
    timeOfSec('first_time', 'p.first_sec'),
    timeOfSec('last_time', 'p.last_sec'),
    ...['balance', 'held', 'cost', 'realized', 'bought', 'bought_cost', 'fees'].map(
      (name): SqlColumn => moneyOf(name, `p.${name}`),
    ),
    { name: 'is_combo', type: 'boolean', sql: 'p.is_combo <> 0' },
  ],
  from: `${DAY_END_SCHEMA}.positions p
    ${joinOf('wallet', 'p.wallet', 'wallets')}
    ${joinOf('token', 'p.token', 'tokens')}
   where p.last_sec >= $1 and p.last_sec < $2
   order by p.wallet, p.token`,
  parameters: ({ fromSec, untilSec }) => [fromSec, untilSec],
})

/**
 * The positions that changed on a day, as they were at its end: the newest row of a wallet and token up to a day is its
 * position at the end of that day.
 */
export const POSITIONS: ArchiveTable = {
  ...CHANGED,
  async *rows(pool, day) {
    if (await foldDayEnd(pool, day.toSeq)) yield* CHANGED.rows(pool, day)
  },
}
