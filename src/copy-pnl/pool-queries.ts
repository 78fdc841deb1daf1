import type { Fragment, Sql } from '../store/connection.js'
import { hex } from '../store/sql-words.js'
import { isScoreReverted } from './queue-queries.js'
import type { CopyScore } from './score.js'

/** A score is not computed again at once when it is younger. */
const FRESH_MS = 60_000

/** Holds the pool of a key until the transaction ends, so that its wallets are counted by one at a time. */
export async function lockPool(tx: Sql, keyId: number): Promise<void> {
  await tx`select from api_keys where id = ${keyId} for no key update`
}

/** In the order of their addresses. Index: copy_pools_pkey. */
export async function selectPoolWallets(sql: Sql, keyId: number): Promise<string[]> {
  const rows = await sql<{ wallet: string }[]>`
    select ${hex(sql, 'wallet')} as wallet
      from copy_pools where key_id = ${keyId} order by copy_pools.wallet`
  return rows.map(({ wallet }) => wallet)
}

/**
 * Puts wallets into the pool and into the queue. The order of the addresses keeps two transactions from
 * waiting for each other. A wallet that is being scored, or was a moment ago, keeps its time.
 */
export async function insertPoolWallets(
  tx: Sql,
  keyId: number,
  wallets: readonly string[],
  nowMs: number,
): Promise<void> {
  const now = new Date(nowMs)
  await tx`
    insert into copy_pools (key_id, wallet)
    select ${keyId}, given.wallet from ${givenWallets(tx, wallets)} order by given.wallet
    on conflict do nothing`
  await tx`
    insert into copy_wallets as w (wallet, next_at)
    select given.wallet, ${now} from ${givenWallets(tx, wallets)} order by given.wallet
    on conflict (wallet) do update
       set dropped_at = null,
           next_at = case when w.is_leased or w.scored_at > ${new Date(nowMs - FRESH_MS)}
                          then w.next_at else least(w.next_at, excluded.next_at) end`
}

/** Takes wallets out of the pool; returns how many were in it. */
export async function deletePoolWallets(
  tx: Sql,
  keyId: number,
  wallets: readonly string[],
  nowMs: number,
): Promise<number> {
  const removed = await tx`
    delete from copy_pools p using ${givenWallets(tx, wallets)}
     where p.key_id = ${keyId} and p.wallet = given.wallet
    returning 1`
  await tx`
    update copy_wallets w set dropped_at = ${new Date(nowMs)}
      from (select c.wallet from copy_wallets c
              join ${givenWallets(tx, wallets)} on given.wallet = c.wallet
             where c.dropped_at is null
               and not exists (select from copy_pools p where p.wallet = c.wallet)
             order by c.wallet for update of c) gone
     where w.wallet = gone.wallet`
  return removed.length
}

const givenWallets = (sql: Sql, wallets: readonly string[]): Fragment => sql`
  (select decode(substr(address, 3), 'hex') as wallet
     from unnest(${[...wallets]}::text[]) as address) given`

/** A wallet of a pool and how its last scoring run ended. Times are Unix seconds. */
export type PoolWallet = {
  wallet: string
  error: string | null
  errorSec: number | null
  /** The end of its last scoring run, whether it succeeded or not; null: there was none. */
  triedSec: number | null
}

export type StoredScore = CopyScore & { isPartial: boolean; computedSec: number }

type PoolRow = PoolWallet & {
  days: number | null
} & { [Field in keyof StoredScore]: StoredScore[Field] | null }

/**
 * The wallets of a pool with their scores for these days, a row for each of both, and one for a wallet
 * without any. Scores that count reverted blocks are left out until they are computed again. In the order of the addresses. Indexes: primary keys.
 */
export function selectPool(sql: Sql, keyId: number, days: readonly number[]): Promise<PoolRow[]> {
  return sql<PoolRow[]>`
    select ${hex(sql, 'p.wallet')} as wallet, w.error,
           ${toSeconds(sql, sql`w.error_at`)} as error_sec,
           ${toSeconds(sql, sql`greatest(w.scored_at, w.error_at)`)} as tried_sec,
           s.days, s.actual, s.backtest, s.slippage, s.rate, s.trades, s.is_partial,
           ${toSeconds(sql, sql`s.computed_at`)} as computed_sec
      from copy_pools p
      join copy_wallets w on w.wallet = p.wallet
      left join copy_scores s
        on s.wallet = p.wallet and s.days = any(${[...days]}::smallint[])
       and not ${isScoreReverted(sql)}
     where p.key_id = ${keyId}
     order by p.wallet`
}

const toSeconds = (sql: Sql, time: Fragment): Fragment => sql`floor(extract(epoch from ${time}))::float8`
