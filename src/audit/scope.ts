import { selectExchanges } from '../chain/facts/entries.js'
import { BOOKED_KINDS } from '../chain/facts/registry.js'
import { selectState } from '../chain/queries.js'
import { readState } from '../chain/write/state.js'
import { blockOf, endOfBlock, seqOf } from '../core/seq.js'
import { ZERO_WALLET } from '../ledger/entry.js'
import type { Sql } from '../store/connection.js'

/** What the ledger claims to be, and what of it can be computed again. */
export type Scope = {
  ledgerFrom: number
  cursor: { block: number; hash: string; timeSec: number }
  /** First and last `seq` that the ledger may have booked. */
  fromSeq: number
  toSeq: number
  /** From here on all facts are stored: the start of the ledger, or where the retention has got to. */
  keptSeq: number
  /** Nothing that the ledger booked was dropped. */
  isWhole: boolean
  /** Entries that the ledger refused to book, and all tokens that they name. */
  refusedSeqs: readonly number[]
  refusedTokens: readonly number[]
  /** The other side of every trade and every set: no index has their facts. */
  counterparts: readonly number[]
  /** False while the follower catches up: partitions have no indexes yet. */
  isIndexed: boolean
}

/** `undefined`: nothing is booked yet. */
export async function readScope(sql: Sql): Promise<Scope | undefined> {
  const { ledgerFrom, cursor } = await readState(sql)
  if (ledgerFrom === undefined || cursor === undefined) return undefined
  const { keptFrom } = await selectState(sql)
  const fromSeq = seqOf(ledgerFrom, 0)
  const refusedSeqs = await selectRefusedSeqs(sql)
  const isWhole = keptFrom === null || keptFrom <= ledgerFrom
  return {
    ledgerFrom,
    cursor,
    fromSeq,
    toSeq: endOfBlock(cursor.block),
    keptSeq: isWhole ? fromSeq : seqOf(keptFrom, 0),
    isWhole,
    refusedSeqs,
    refusedTokens: refusedSeqs.length === 0 ? [] : await selectRefusedTokens(sql, refusedSeqs),
    counterparts: [ZERO_WALLET, ...(await selectExchanges(sql))],
    isIndexed: await areIndexed(sql),
  }
}

async function selectRefusedSeqs(sql: Sql): Promise<number[]> {
  const rows = await sql<{ seq: number }[]>`
    select seq::float8 from quarantine where reason = 'out_of_range' order by quarantine.seq`
  return rows.map(({ seq }) => seq)
}

/** Several entries may share a `seq`, and which of them was refused is not written down. */
async function selectRefusedTokens(sql: Sql, seqs: readonly number[]): Promise<number[]> {
  const tokens = new Set<number>()
  for (const { entries, rows } of BOOKED_KINDS) {
    const [orderColumn = ''] = rows.columns
    const keys = orderColumn === 'seq' ? seqs : seqs.map(blockOf)
    const found = await sql<{ token: number }[]>`
      select ${sql.unsafe(entries.tokensSql)} as token
        from ${sql(rows.table)}
       where ${sql(orderColumn)} = any(${keys}::bigint[])`
    for (const { token } of found) tokens.add(token)
  }
  return [...tokens]
}

async function areIndexed(sql: Sql): Promise<boolean> {
  const [row] = await sql`select 1 from partitions where not is_indexed limit 1`
  return row === undefined
}

/** Ids or block numbers, both ends included. */
export type IdRange = { from: number; to: number }

/** What the checks of whole tables look at. */
export type Span = { tokens: IdRange; conditions: IdRange; blocks: IdRange }

const EVERY: IdRange = { from: 0, to: 2 ** 31 - 1 }

export const EVERYTHING: Span = { tokens: EVERY, conditions: EVERY, blocks: EVERY }
