import { PNL_CAUSES } from '../../ledger/rows/queries.js'
import { type ArchiveTable, moneyOf, type SqlColumn, sqlTable, timeOfSec } from './archive-table.js'
import { idColumns, joinOf } from './id-columns.js'

const causes = Object.entries(PNL_CAUSES)
  .sort(([, one], [, other]) => one - other)
  .map(([name]) => `'${name}'`)

/** Each sale, merge, redemption or conversion that realized a profit or a loss. */
export const PNL_STEPS: ArchiveTable = sqlTable({
  name: 'pnl_steps',
  follows: 'ledger',
  columns: [
    { name: 'seq', type: 'bigint', sql: 'p.seq' },
    { name: 'sub', type: 'integer', sql: 'p.sub' },
    timeOfSec('time', 'b.time'),
    ...idColumns('wallet', 'p.wallet', 'wallets'),
    ...idColumns('token', 'p.token', 'tokens'),
    moneyOf('realized', 'p.amount'),
    { name: 'cause', type: 'text', sql: `(array[${causes.join(', ')}])[p.cause + 1]` },
  ],
  from: `pnl p
    join blocks b on b.number = p.seq >> 20
    ${joinOf('wallet', 'p.wallet', 'wallets')}
    ${joinOf('token', 'p.token', 'tokens')}
   where p.seq between $1 and $2
   order by p.seq, p.sub`,
  parameters: ({ fromSeq, toSeq }) => [fromSeq, toSeq],
})

const MINUTE_SEC = 60

/** Candles of minutes, of which those of longer times follow. */
export const CANDLES: ArchiveTable = sqlTable({
  name: 'candles',
  follows: 'ledger',
  columns: [
    ...idColumns('token', 'm.token', 'tokens'),
    timeOfSec('time', `m.minute::bigint * ${MINUTE_SEC}`),
    { name: 'trades', type: 'integer', sql: 'm.trades' },
    ...['open', 'high', 'low', 'close', 'volume', 'shares', 'buy_volume', 'fees'].map(
      (name): SqlColumn => moneyOf(name, `m.${name}`),
    ),
    { name: 'first_seq', type: 'bigint', sql: 'm.first_seq' },
    { name: 'last_seq', type: 'bigint', sql: 'm.last_seq' },
  ],
  // Each of them has a fill of the day, and their primary key begins with the token.
  from: `(select distinct token from fills where seq between $3 and $4) traded
    join minute_candles m on m.token = traded.token and m.minute >= $1 and m.minute < $2
    ${joinOf('token', 'm.token', 'tokens')}
   order by m.token, m.minute`,
  parameters: ({ fromSec, untilSec, fromSeq, toSeq }) => [
    fromSec / MINUTE_SEC,
    untilSec / MINUTE_SEC,
    fromSeq,
    toSeq,
  ],
})
