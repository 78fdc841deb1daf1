import type { TransferEntry } from '../../ledger/entry.js'
import type { Sql } from '../../store/connection.js'
import { copyBytes } from '../../store/copy.js'
import { type EntryQuery, type FactKind, indexesOn, type TimedOrigin, UNTIMED } from './fact-kind.js'

/**
 * Tokens changed hands outside of trades, splits, merges and redemptions. In a transaction with any
 * of these it is what they leave unexplained, so that all facts together give exact balances.
 */
export type TransferFact = TimedOrigin & {
  /** Counts the transfers that share a `seq`, from 0. */
  sub: number
  /** The zero address makes and destroys. */
  from: string
  to: string
  token: string
  amount: bigint
  /** A contract gives or takes it: not a gift of one wallet to another. */
  isInternal: boolean
  /** False: a conversion, migration or redemption of the transaction bears the cost of the shares. */
  bearsCost: boolean
}

export const TRANSFERS: FactKind<TransferFact> = {
  rows: {
    table: 'transfers',
    columns: [
      'seq',
      'amount',
      'from_wallet',
      'to_wallet',
      'token',
      'sub',
      'is_internal',
      'bears_cost',
      'tx_hash',
    ],
    partitionIndexes: indexesOn('from_wallet', 'to_wallet'),
    toLine(transfer, ids) {
      const { seq, sub, amount, isInternal, bearsCost } = transfer
      const from = ids.wallet(transfer.from)
      const to = ids.wallet(transfer.to)
      const token = ids.token(transfer.token)
      return `${seq}\t${amount}\t${from}\t${to}\t${token}\t${sub}\t${isInternal}\t${bearsCost}\t${copyBytes(transfer.txHash)}\n`
    },
  },
  addReferences({ seq, sub, from, to, token }, ids, ordinal) {
    ids.wallets.add(from, seq, ordinal + 2 * sub)
    ids.wallets.add(to, seq, ordinal + 2 * sub + 1)
    ids.tokens.add(token, seq, ordinal + 2 * sub)
  },
  entries: {
    kind: 'transfer',
    toEntries: (transfers, { ids }) =>
      transfers.map((transfer) => ({
        kind: 'transfer',
        seq: transfer.seq,
        timeSec: transfer.timeSec,
        from: ids.wallet(transfer.from),
        to: ids.wallet(transfer.to),
        token: ids.token(transfer.token),
        amount: transfer.amount,
        bearsCost: transfer.bearsCost,
      })),
    select: selectEntries,
    idsOf: ({ from, to, token }: TransferEntry) => ({ wallets: [from, to], tokens: [token] }),
    tokensSql: 'token',
  },
}

async function selectEntries(sql: Sql, query: EntryQuery): Promise<TransferEntry[]> {
  const { fromSeq, toSeq, wallets, limit } = query
  const select = (which = sql``) => sql`
    select seq, sub, from_wallet, to_wallet, token, amount, bears_cost
      from transfers
     where seq between ${fromSeq} and ${toSeq} ${which}
     order by seq, sub
     limit ${limit}`
  // Each side has its own index.
  const source =
    wallets === undefined
      ? select()
      : sql`(${select(sql`and from_wallet = any(${wallets}::integer[])`)})
            union all
            (${select(sql`and to_wallet = any(${wallets}::integer[])
                          and from_wallet <> all(${wallets}::integer[])`)})`
  const rows = await sql<Omit<TransferEntry, 'kind' | 'timeSec'>[]>`
    select seq::float8, from_wallet as "from", to_wallet as "to", token, amount, bears_cost
      from (${source}) as moved
     order by moved.seq, moved.sub
     limit ${limit}`
  return rows.map((row) => ({ kind: 'transfer', timeSec: UNTIMED, ...row }))
}
