import { isListed } from '../../lookups/position-sql.js'
import type { Sql } from '../../store/connection.js'
import { blockTime } from '../../store/sql-words.js'

/** Transfers and deposits that are counted, so that a request costs the same for every wallet. */
export const COUNTED_MAX = 10_000

export type WalletUse = {
  /** Unix seconds; 0: it never did anything. */
  lastSec: number
  fills: number
  volume: bigint
  transfers: number
  deposits: number
  deposited: bigint
}

const NO_USE: WalletUse = { lastSec: 0, fills: 0, volume: 0n, transfers: 0, deposits: 0, deposited: 0n }

/**
 * How a wallet was used. Indexes: wallet_totals_pkey, positions_wallet_last_sec; from_wallet and to_wallet of each
 * partition of `transfers` and `flows`, the newest rows alone.
 */
export async function selectWalletUse(sql: Sql, wallet: number): Promise<WalletUse> {
  const [row] = await sql<WalletUse[]>`
    select greatest(${blockTime(sql, 't.last_fill')},
                    (select max(p.last_sec) from positions p
                      where p.wallet = w.id and ${isListed(sql, 'market')}),
                    0) as last_sec,
           coalesce(t.fills, 0) as fills, coalesce(t.volume, 0) as volume,
           moved.transfers, paid.deposits, paid.deposited
      from (select ${wallet}::integer as id) w
      left join wallet_totals t on t.wallet = w.id
     cross join lateral (
       select least(count(*), ${COUNTED_MAX})::integer as transfers
         from (
           (select from transfers where from_wallet = w.id order by seq desc limit ${COUNTED_MAX})
           union all
           (select from transfers where to_wallet = w.id and from_wallet <> w.id
             order by seq desc limit ${COUNTED_MAX})
         ) newest
     ) moved
     cross join lateral (
       select count(*)::integer as deposits, coalesce(sum(amount), 0)::bigint as deposited
         from (select amount from flows
                where to_wallet = w.id and kind = 0 order by seq desc limit ${COUNTED_MAX}) newest
     ) paid`
  return row ?? NO_USE
}

export type TraderFigures = {
  fills: number
  volume: bigint
  /** What the best position realized, nothing at least. */
  largestWin: bigint
  /** What the shares that are held are worth at the price of now. */
  positionValue: bigint
}

const NO_FIGURES: TraderFigures = { fills: 0, volume: 0n, largestWin: 0n, positionValue: 0n }

/** Indexes: wallet_totals_pkey, positions_wallet_realized, positions_wallet_balance. */
export async function selectTraderFigures(sql: Sql, wallet: number): Promise<TraderFigures> {
  const [row] = await sql<TraderFigures[]>`
    select coalesce(t.fills, 0) as fills, coalesce(t.volume, 0) as volume,
           greatest((select p.realized from positions p
                      where p.wallet = w.id and ${isListed(sql, 'market')}
                      order by p.realized desc limit 1), 0) as largest_win,
           (select coalesce(sum(div(p.balance * price.numerator, price.denominator)), 0)::bigint
              from positions p
              join token_prices price on price.token = p.token
             where p.wallet = w.id and p.balance > 0 and price.denominator > 0
               and ${isListed(sql, 'market')}) as position_value
      from (select ${wallet}::integer as id) w
      left join wallet_totals t on t.wallet = w.id`
  return row ?? NO_FIGURES
}
