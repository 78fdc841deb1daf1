import { blockOf } from '../../core/seq.js'
import { type SeqRange, splitRange, withinSeq } from '../../lookups/seq-range.js'
import { joinFragments, type Sql } from '../../store/connection.js'
import {
  generationOf,
  hex,
  isMarketFill,
  isOfBlock,
  isSell,
  isTakerOrder,
  selectBytes,
} from '../../store/sql-words.js'

/** All matches, those in which an order traded a token, or those with an order of a wallet. */
export type SettlementScope = SeqRange & { token?: number; wallet?: number }

/** A fill of a match. Bytes are hex text, amounts millionths. */
export type SettledFill = {
  seq: number
  timeSec: number
  usd: bigint
  shares: bigint
  isSell: boolean
  isTakerOrder: boolean
  generation: number
  token: number
  /** Decimal digits. */
  tokenId: string
  outcome: string | null
  orderHash: string
  txHash: string
  maker: string
  taker: string
}

/** What a match is found by: one of its fills. */
type Head = { seq: number; txHash: string }

/** More than most matches have fills: then one statement finds the matches of an answer. */
const FILLS_PER_MATCH = 4

/**
 * The newest matches, one row for each. The fills of a transaction stand side by side in the order of `seq`, whatever
 * the scope leaves of them. Indexes of each partition of `fills`: the primary key, token, or wallet.
 */
async function selectHeads(sql: Sql, scope: SettlementScope, count: number): Promise<Head[]> {
  const { token, wallet } = scope
  const conditions = [isMarketFill(sql, 'f')]
  if (token !== undefined) conditions.push(sql`f.token = ${token}`)
  if (wallet !== undefined) conditions.push(sql`f.wallet = ${wallet}`)
  const limit = count * FILLS_PER_MATCH
  const heads: Head[] = []
  for (const { min, until } of splitRange(scope, false)) {
    for (let last = until; heads.length < count; ) {
      const fills = await sql<Head[]>`
        select f.seq::float8, ${hex(sql, 'f.tx_hash')} as tx_hash
          from fills f
         where ${withinSeq(sql, 'f.seq', { min, until: last })} and ${joinFragments(sql, conditions, sql`and`)}
         order by f.seq desc
         limit ${limit}`
      for (const fill of fills) if (fill.txHash !== heads.at(-1)?.txHash) heads.push(fill)
      const lowest = fills.at(-1)
      if (lowest === undefined || fills.length < limit) break
      last = lowest.seq - 1
    }
  }
  return heads.slice(0, count)
}

/**
 * The fills of the newest matches of a scope, match by match, the newest first; in a match those of the orders that were
 * met, then that of the order that took. Indexes: that of the scope; primary keys, by which the blocks of the matches are
 * read.
 */
export async function selectSettlements(
  sql: Sql,
  scope: SettlementScope,
  count: number,
): Promise<[SettledFill, ...SettledFill[]][]> {
  const heads = await selectHeads(sql, scope, count)
  const blocks = [...new Set(heads.map(({ seq }) => blockOf(seq)))]
  const hashes = heads.map(({ txHash }) => txHash)
  const fills = await sql<SettledFill[]>`
    select f.seq::float8, b.time as time_sec, f.usd, f.shares, ${isSell(sql, 'f')} as is_sell,
           ${isTakerOrder(sql, 'f')} as is_taker_order, ${generationOf(sql, 'f')} as generation, f.token,
           ${hex(sql, 't.token')} as token_id, m.outcomes[mt.outcome + 1] as outcome,
           ${hex(sql, 'f.order_hash')} as order_hash, ${hex(sql, 'f.tx_hash')} as tx_hash,
           ${hex(sql, 'maker.address')} as maker, ${hex(sql, 'taker.address')} as taker
      from unnest(${blocks}::integer[]) as wanted (number)
      join blocks b on b.number = wanted.number
     cross join lateral (
       select * from fills
        where ${isOfBlock(sql, 'seq', 'wanted.number')}
       offset 0
     ) f
      join tokens t on t.id = f.token
      join wallets maker on maker.id = f.wallet
      join wallets taker on taker.id = f.taker
      left join market_tokens mt on mt.token = t.token
      left join markets m on m.id = mt.market
     where f.tx_hash in (${selectBytes(sql, hashes)}) and ${isMarketFill(sql, 'f')}
     order by f.seq`
  const byHash = new Map<string, [SettledFill, ...SettledFill[]]>()
  for (const fill of fills) {
    const match = byHash.get(fill.txHash)
    if (match === undefined) byHash.set(fill.txHash, [fill])
    else match.push(fill)
  }
  // A reorganisation may have taken a match back since its head was read.
  return hashes.flatMap((hash) => {
    const match = byHash.get(hash)
    return match === undefined ? [] : [match]
  })
}
