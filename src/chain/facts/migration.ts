import type { MigrationEntry } from '../../ledger/entry.js'
import { copyBytes } from '../../store/copy.js'
import { type FactKind, isQueried, type TimedOrigin, UNTIMED } from './fact-kind.js'

/** Shares moved from an old token to its structured one. */
export type MigrationFact = TimedOrigin & {
  wallet: string
  fromToken: string
  toToken: string
  amount: bigint
}

export const MIGRATIONS: FactKind<MigrationFact> = {
  rows: {
    table: 'migrations',
    columns: ['seq', 'amount', 'wallet', 'from_token', 'to_token', 'tx_hash'],
    toLine(migration, ids) {
      const { seq, amount } = migration
      const wallet = ids.wallet(migration.wallet)
      const fromToken = ids.token(migration.fromToken)
      const toToken = ids.token(migration.toToken)
      return `${seq}\t${amount}\t${wallet}\t${fromToken}\t${toToken}\t${copyBytes(migration.txHash)}\n`
    },
  },
  addReferences({ seq, wallet, fromToken, toToken }, ids, ordinal) {
    ids.wallets.add(wallet, seq, ordinal)
    ids.tokens.add(fromToken, seq, ordinal)
    ids.tokens.add(toToken, seq, ordinal + 1)
  },
  entries: {
    kind: 'migration',
    toEntries: (migrations, { ids }) =>
      migrations.map((migration) => ({
        kind: 'migration',
        seq: migration.seq,
        timeSec: migration.timeSec,
        wallet: ids.wallet(migration.wallet),
        fromToken: ids.token(migration.fromToken),
        toToken: ids.token(migration.toToken),
        amount: migration.amount,
      })),
    async select(sql, query) {
      const rows = await sql<Omit<MigrationEntry, 'kind' | 'timeSec'>[]>`
        select seq::float8, amount, wallet, from_token, to_token
          from migrations
         where ${isQueried(sql, query)}
         order by migrations.seq
         limit ${query.limit}`
      return rows.map((row) => ({ kind: 'migration', timeSec: UNTIMED, ...row }))
    },
    idsOf: ({ wallet, fromToken, toToken }: MigrationEntry) => ({
      wallets: [wallet],
      tokens: [fromToken, toToken],
    }),
    tokensSql: 'unnest(array[from_token, to_token])',
  },
}
