import { blockOf, seqOf } from '../../core/seq.js'
import { type Sql, withoutPreparedPlan } from '../../store/connection.js'
import type { FactSlice } from './fact-slice.js'

/** A token whose market got a result. */
export type TokenResultRow = { seq: number; timeSec: number; txHash: string; token: number }

/**
 * The results of this part by token. The catalogue may state the condition of a token before a log does.
 * Indexes: resolutions_pkey, tokens_condition, markets_condition.
 */
export const selectTokenResults = (sql: Sql, { afterSeq, toSeq }: Pick<FactSlice, 'afterSeq' | 'toSeq'>) =>
  sql<TokenResultRow[]>`
    select r.seq::float8, b.time as time_sec, '0x' || encode(r.tx_hash, 'hex') as tx_hash,
           own.id as token
      from resolutions r
      join blocks b on b.number = r.seq >> 20
     cross join lateral (
       select id from tokens where condition = r.condition
       union
       select t.id
         from conditions c
         join markets m on m.condition = c.condition
         join market_tokens mt on mt.market = m.id
         join tokens t on t.token = mt.token and t.condition is null
        where c.id = r.condition
     ) own
     where r.seq > ${afterSeq} and r.seq <= ${toSeq}
     order by r.seq, own.id`

type Holder = { wallet: number; address: string; token: number }

/** Holders that are in memory at a time: a market may have a hundred thousand. */
const HOLDERS_MAX = 5_000

/**
 * Wallets that may have held these tokens when the results came: they hold shares now, or something
 * changed since. Index: positions_token.
 */
export const selectHolders = (
  sql: Sql,
  results: readonly TokenResultRow[],
): AsyncIterable<readonly Holder[]> =>
  sql<Holder[]>`
  select p.wallet, p.token, '0x' || encode(w.address, 'hex') as address
    from positions p
    join wallets w on w.id = p.wallet
   where p.token = any(${[...new Set(results.map(({ token }) => token))]}::integer[])
     and (p.balance > 0 or p.last_sec >= ${Math.min(...results.map(({ timeSec }) => timeSec))})`.cursor(
    HOLDERS_MAX,
  )

type PositionRow = { wallet: number; token: number; balance: bigint; firstSec: number }

/** The positions as they are at the head. Index: the primary key. */
export const selectPositionsAtHead = (
  sql: Sql,
  subjects: readonly { wallet: number; token: number }[],
): Promise<PositionRow[]> => sql<PositionRow[]>`
  select p.wallet, p.token, p.balance, p.first_sec
    from unnest(${subjects.map(({ wallet }) => wallet)}::integer[],
                ${subjects.map(({ token }) => token)}::integer[]) as asked (wallet, token)
    join positions p on p.wallet = asked.wallet and p.token = asked.token`

/** Tokens as hex text, and the place of the result of their market. */
export async function selectPositionTokens(sql: Sql, tokens: readonly number[]) {
  const rows = await sql<{ id: number; token: string; resolvedSeq: number | null }[]>`
    select t.id, '0x' || encode(t.token, 'hex') as token,
           case when price.source in ('settlement', 'v1_condition') then price.seq end::float8
             as resolved_seq
      from tokens t
      join token_prices price on price.token = t.id
     where t.id = any(${[...tokens]}::integer[])`
  return new Map(
    rows.map(({ id, token, resolvedSeq }) => [id, { token, resolvedSeq: resolvedSeq ?? undefined }]),
  )
}

/**
 * The transactions of stored facts that move tokens, by their `seq`. A split or merge that another log
 * of the transaction explains has no hash: the next fact with one is of the same transaction.
 * Planned for its values: a plan for any would look into every partition. Indexes: the primary keys.
 */
export async function selectTransactions(sql: Sql, seqs: readonly number[]): Promise<Map<number, string>> {
  if (seqs.length === 0) return new Map()
  const wanted = sql`seq = any(${[...seqs]}::bigint[])`
  const rows = await withoutPreparedPlan(sql<{ seq: number; txHash: string }[]>`
    select distinct seq::float8, '0x' || encode(tx_hash, 'hex') as tx_hash
      from (select seq, tx_hash from fills where ${wanted}
            union all select seq, tx_hash from splits where ${wanted} and tx_hash is not null
            union all select seq, tx_hash from redemptions where ${wanted}
            union all select seq, tx_hash from conversions where ${wanted}
            union all select seq, tx_hash from migrations where ${wanted}
            union all select seq, tx_hash from transfers where ${wanted}) stored`)
  const hashes = new Map(rows.map(({ seq, txHash }) => [seq, txHash]))
  for (const seq of seqs) {
    if (hashes.has(seq)) continue
    const next = await selectNextTransaction(sql, seq)
    if (next !== undefined) hashes.set(seq, next)
  }
  return hashes
}

async function selectNextTransaction(sql: Sql, seq: number): Promise<string | undefined> {
  const end = seqOf(blockOf(seq) + 1, 0)
  const [row] = await withoutPreparedPlan(sql<{ txHash: string }[]>`
    select '0x' || encode(tx_hash, 'hex') as tx_hash
      from ((select seq, tx_hash from fills where seq > ${seq} and seq < ${end} order by seq limit 1)
            union all
            (select seq, tx_hash from splits
              where seq > ${seq} and seq < ${end} and tx_hash is not null order by seq limit 1)
            union all
            (select seq, tx_hash from transfers where seq > ${seq} and seq < ${end} order by seq limit 1)
           ) later
     order by later.seq
     limit 1`)
  return row?.txHash
}
