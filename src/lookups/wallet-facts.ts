import type { Fragment, Sql } from '../store/connection.js'
import { isListed } from './position-sql.js'
import { type SeqRange, withinSeq } from './seq-range.js'

/**
 * The condition that the wallet of a split or redemption wanted it, and that it is of no combo. Bits of
 * the flags: 1 merge, 4 user; of redemptions 16 * outcomes. Index: conditions_pkey.
 */
export const isUserAct = (sql: Sql, alias: string): Fragment => sql`
  ${sql(alias)}.flags & 4 <> 0
  and not exists (
    select from conditions c
     where c.id = ${sql(alias)}.condition and get_byte(c.condition, 0) = 3
       and substr(c.condition, 20, 8) = '\\x0000000000000000'
  )`

/** The condition on rows of `pnl` of a wallet. Steps of combos stand in the same table. */
export const isRealizedBy = (sql: Sql, wallet: number, range: SeqRange): Fragment => sql`
  wallet = ${wallet} and ${withinSeq(sql, 'seq', range)} and token not in (
    select p.token from positions p where p.wallet = ${wallet} and ${isListed(sql, 'combo')})`
