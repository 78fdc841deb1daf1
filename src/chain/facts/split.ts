import { hasFlag, SPLIT_FLAGS } from '../../core/fact-flags.js'
import { type SplitEntry, ZERO_WALLET } from '../../ledger/entry.js'
import { copyBytes, NULL } from '../../store/copy.js'
import { selectTokensOf } from '../ids/queries.js'
import {
  copyTokens,
  type FactKind,
  type IdLookup,
  idsOfTokens,
  indexesOn,
  isQueried,
  type TimedOrigin,
  UNTIMED,
} from './fact-kind.js'

/**
 * A full set of outcome tokens was made (`split`) or destroyed (`merge`). One act may need two
 * facts: the neg-risk adapter names the wallet, and the token contract moves the tokens.
 */
export type SplitFact = TimedOrigin & {
  isMerge: boolean
  /** Who has or had the tokens in the end: a wallet, or the exchange of a match. */
  wallet: string
  condition: string
  /** Tokens of the set by outcome. */
  tokens: readonly string[]
  amount: bigint
  /** Logged by the token contract: moves tokens and collateral. */
  isCore: boolean
  /** A wallet wanted it: bears cost and profit. False for the mints and merges inside a match. */
  isUser: boolean
}

type SplitRow = Pick<SplitEntry, 'seq' | 'wallet' | 'condition' | 'amount'> & {
  flags: number
  tokens: number[] | null
}

export const SPLITS: FactKind<SplitFact> = {
  rows: {
    table: 'splits',
    columns: ['seq', 'amount', 'wallet', 'condition', 'flags', 'tx_hash', 'tokens'],
    partitionIndexes: indexesOn('wallet'),
    /** The fills of a match have the hash of its transaction, and most sets are what their condition has. */
    toLine(split, ids) {
      const { seq, amount, isMerge, isCore, isUser } = split
      const wallet = ids.wallet(split.wallet)
      const condition = ids.condition(split.condition)
      const flags =
        (isMerge ? SPLIT_FLAGS.merge : 0) + (isCore ? SPLIT_FLAGS.core : 0) + (isUser ? SPLIT_FLAGS.user : 0)
      const tx = isUser ? copyBytes(split.txHash) : NULL
      const tokens = isWholeSet(split, ids.tokensOf(condition), ids) ? NULL : copyTokens(ids, split.tokens)
      return `${seq}\t${amount}\t${wallet}\t${condition}\t${flags}\t${tx}\t${tokens}\n`
    },
  },
  addReferences({ seq, wallet, condition, tokens }, ids, ordinal) {
    ids.wallets.add(wallet, seq, ordinal)
    ids.conditions.add(condition, seq, ordinal)
    ids.tokens.addAll(tokens, seq, ordinal)
  },
  entries: {
    kind: 'split',
    toEntries: (splits, { ids }) =>
      splits.map((split) => ({
        kind: 'split',
        seq: split.seq,
        timeSec: split.timeSec,
        isMerge: split.isMerge,
        wallet: ids.wallet(split.wallet),
        condition: ids.condition(split.condition),
        tokens: idsOfTokens(ids, split.tokens),
        amount: split.amount,
        isCore: split.isCore,
        isUser: split.isUser,
      })),
    async select(sql, query) {
      const rows = await sql<SplitRow[]>`
        select seq::float8, amount, wallet, condition, flags, tokens
          from splits
         where ${isQueried(sql, query)}
         order by splits.seq
         limit ${query.limit}`
      const tokensOf = new Map<number, number[]>()
      for (const { condition, tokens } of rows) if (tokens === null) tokensOf.set(condition, [])
      if (tokensOf.size > 0) {
        for (const { condition, id } of await selectTokensOf(sql, [...tokensOf.keys()])) {
          tokensOf.get(condition)?.push(id)
        }
      }
      return rows.map(({ flags, tokens, ...row }) => ({
        kind: 'split',
        timeSec: UNTIMED,
        ...row,
        tokens: tokens ?? tokensOf.get(row.condition) ?? [],
        isMerge: hasFlag(flags, SPLIT_FLAGS.merge),
        isCore: hasFlag(flags, SPLIT_FLAGS.core),
        isUser: hasFlag(flags, SPLIT_FLAGS.user),
      }))
    },
    idsOf: ({ wallet, isCore, tokens, condition }: SplitEntry) => ({
      wallets: isCore ? [wallet, ZERO_WALLET] : [wallet],
      tokens,
      condition,
    }),
    tokensSql: 'unnest(tokens || array(select id from tokens as own where own.condition = splits.condition))',
  },
}

function isWholeSet({ tokens }: SplitFact, set: readonly number[], ids: IdLookup): boolean {
  if (tokens.length === 0 || tokens.length !== set.length) return false
  return tokens.every((token, outcome) => ids.token(token) === set[outcome])
}
