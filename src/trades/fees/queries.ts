import type { Page } from '../../core/page.js'
import { rangeAfterCursor, type SeqRange, splitRange, withinSeq } from '../../lookups/seq-range.js'
import type { Sql } from '../../store/connection.js'
import { boundedPage } from '../../store/keyset.js'
import { hex } from '../../store/sql-words.js'

/** `receiver` undefined: of all receivers. */
export type EarnedFeeScope = SeqRange & { receiver: number | undefined; isAscending: boolean }

/** A fee that was charged. Bytes are hex text. */
export type EarnedFeeRow = {
  seq: number
  timeSec: number
  txHash: string
  receiver: string
  /** Millionths of a dollar, or of the token. */
  amount: bigint
  /** Null: the fee is money. */
  token: string | null
  isGone: boolean
}

/** Fees in the order of the chain, before refunds. Indexes of each partition: primary key; of a receiver wallet. */
export async function selectEarnedFees(sql: Sql, scope: EarnedFeeScope, page: Page): Promise<EarnedFeeRow[]> {
  const range = rangeAfterCursor(scope, page)
  const rows: EarnedFeeRow[] = []
  // An offset may reach into the second part, and only one query can count to it.
  for (const part of page.offset > 0 ? [range] : splitRange(range, scope.isAscending)) {
    const left = { ...page, limit: page.limit - rows.length }
    rows.push(...(await selectFeesWithin(sql, { ...scope, ...part }, left)))
    if (rows.length >= page.limit) break
  }
  return rows
}

function selectFeesWithin(sql: Sql, scope: EarnedFeeScope, page: Page): Promise<EarnedFeeRow[]> {
  const { receiver, isAscending } = scope
  const direction = isAscending ? sql`asc` : sql`desc`
  // Kind 0: charged.
  const charged = sql`
    select f.seq, f.amount, f.wallet, f.token, f.tx_hash
      from fees f
     where ${withinSeq(sql, 'f.seq', scope)} and f.kind = 0
       ${receiver === undefined ? sql`` : sql`and f.wallet = ${receiver}`}
     order by f.seq ${direction} offset ${page.offset} limit ${page.limit}`
  return sql<EarnedFeeRow[]>`
    with page as materialized (${boundedPage(sql, charged)})
    select f.seq::float8, b.time as time_sec, ${hex(sql, 'f.tx_hash')} as tx_hash,
           ${hex(sql, 'w.address')} as receiver, f.amount, ${hex(sql, 't.token')} as token,
           b.number is null or w.id is null or (f.token is not null and t.id is null) as is_gone
      from page f
      left join blocks b on b.number = f.seq >> 20
      left join wallets w on w.id = f.wallet
      left join tokens t on t.id = f.token
     order by f.seq ${direction}`
}
