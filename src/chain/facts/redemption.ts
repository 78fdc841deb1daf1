import { hasFlag, REDEMPTION_FLAGS } from '../../core/fact-flags.js'
import { type RedemptionEntry, ZERO_WALLET } from '../../ledger/entry.js'
import { copyBytes } from '../../store/copy.js'
import {
  copyNumberList,
  copyTokens,
  type EntryContext,
  type FactKind,
  idsOfTokens,
  indexesOn,
  isQueried,
  type TimedOrigin,
  UNTIMED,
} from './fact-kind.js'
import { Results, selectResults } from './resolution.js'

/** Tokens were given for what they are worth after the result. */
export type RedemptionFact = TimedOrigin & {
  wallet: string
  condition: string
  /** What was given: only amounts above zero; none at all for an empty redemption. */
  tokens: readonly string[]
  amounts: readonly bigint[]
  payout: bigint
  /** Bits of the outcomes that were named, given or not: 1 and 2, for two outcomes 3. */
  outcomes: number
  isCore: boolean
  isUser: boolean
  source: 'direct' | 'auto_redeemer'
}

type RedemptionRow = Pick<
  RedemptionEntry,
  'seq' | 'wallet' | 'condition' | 'tokens' | 'amounts' | 'payout'
> & { flags: number }

export const REDEMPTIONS: FactKind<RedemptionFact> = {
  rows: {
    table: 'redemptions',
    columns: ['seq', 'payout', 'wallet', 'condition', 'flags', 'tokens', 'amounts', 'tx_hash'],
    partitionIndexes: indexesOn('wallet'),
    toLine(redemption, ids) {
      const { seq, payout, isCore, isUser, source } = redemption
      const wallet = ids.wallet(redemption.wallet)
      const condition = ids.condition(redemption.condition)
      const flags =
        (isCore ? REDEMPTION_FLAGS.core : 0) +
        (isUser ? REDEMPTION_FLAGS.user : 0) +
        (source === 'auto_redeemer' ? REDEMPTION_FLAGS.autoRedeemer : 0) +
        redemption.outcomes * REDEMPTION_FLAGS.outcomes
      const tokens = copyTokens(ids, redemption.tokens)
      const amounts = copyNumberList(redemption.amounts)
      return `${seq}\t${payout}\t${wallet}\t${condition}\t${flags}\t${tokens}\t${amounts}\t${copyBytes(redemption.txHash)}\n`
    },
  },
  addReferences({ seq, wallet, condition, tokens }, ids, ordinal) {
    ids.wallets.add(wallet, seq, ordinal)
    ids.conditions.add(condition, seq, ordinal)
    ids.tokens.addAll(tokens, seq, ordinal)
  },
  entries: {
    kind: 'redemption',
    async toEntries(redemptions, context) {
      const { ids } = context
      const results = await resultsFor(redemptions, context)
      return redemptions.map((redemption) => {
        const { seq, tokens } = redemption
        const condition = ids.condition(redemption.condition)
        return {
          kind: 'redemption',
          seq,
          timeSec: redemption.timeSec,
          wallet: ids.wallet(redemption.wallet),
          condition,
          tokens: idsOfTokens(ids, tokens),
          amounts: redemption.amounts,
          payout: redemption.payout,
          payouts: needsPayouts(tokens) ? results.before(condition, seq) : undefined,
          isCore: redemption.isCore,
          isUser: redemption.isUser,
        }
      })
    },
    async select(sql, query) {
      const rows = await sql<RedemptionRow[]>`
        select seq::float8, payout, wallet, condition, flags, tokens, amounts
          from redemptions
         where ${isQueried(sql, query)}
         order by redemptions.seq
         limit ${query.limit}`
      const shared = rows.filter(({ tokens }) => needsPayouts(tokens))
      const conditions = new Set(shared.map(({ condition }) => condition))
      const results = new Results(await selectResults(sql, conditions))
      return rows.map(({ flags, ...row }) => ({
        kind: 'redemption',
        timeSec: UNTIMED,
        ...row,
        payouts: needsPayouts(row.tokens) ? results.before(row.condition, row.seq) : undefined,
        isCore: hasFlag(flags, REDEMPTION_FLAGS.core),
        isUser: hasFlag(flags, REDEMPTION_FLAGS.user),
      }))
    },
    idsOf: ({ wallet, isCore, tokens, condition }: RedemptionEntry) => ({
      wallets: isCore ? [wallet, ZERO_WALLET] : [wallet],
      tokens,
      condition,
    }),
    tokensSql: 'unnest(tokens)',
  },
}

/** A single token has earned the whole payout; only several have to share it by the result. */
const needsPayouts = (tokens: readonly unknown[]): boolean => tokens.length >= 2

/** The results of the batch itself, and of the database for what the batch redeems. */
async function resultsFor(
  redemptions: readonly RedemptionFact[],
  { tx, ids, batch }: EntryContext,
): Promise<Results> {
  const shared = redemptions.filter(({ tokens }) => needsPayouts(tokens))
  if (shared.length === 0) return new Results([])
  const conditions = new Set(shared.map(({ condition }) => ids.condition(condition)))
  const stored = await selectResults(tx, conditions)
  const fresh = batch.resolutions.map((fact) => ({
    ...fact,
    condition: ids.condition(fact.condition),
  }))
  return new Results([...stored, ...fresh])
}
