import type { ConversionEntry } from '../../ledger/entry.js'
import type { Sql } from '../../store/connection.js'
import { copyBytes } from '../../store/copy.js'
import {
  copyTokens,
  type FactKind,
  idsOfTokens,
  isQueried,
  ORDINALS_PER_KIND,
  type TimedOrigin,
  UNTIMED,
} from './fact-kind.js'
import { type NegRiskMarketFact, selectMarketFees } from './neg-risk-market.js'

/** NO tokens of a neg-risk market became money and YES tokens of its other questions. */
export type ConversionFact = TimedOrigin & {
  wallet: string
  market: string
  indexSet: string
  amount: bigint
  /** The NO tokens given, `amount` of each. */
  given: readonly string[]
  /** The YES tokens received, `received` of each; none when all questions were in the set. */
  taken: readonly string[]
  received: bigint
  /** The money received: `received` for each NO token but one. */
  cash: bigint
}

type Charged = Pick<ConversionFact, 'amount' | 'received' | 'cash'> & {
  given: readonly unknown[]
  taken: readonly unknown[]
}

const BIPS = 10_000n

/**
 * Subtracts the fee of the market where no log of the transaction shows it: when all questions were in
 * the set, and the wallet called the neg-risk adapter itself. The fee of a market that was prepared
 * before the first stored block is unknown and taken as zero, until `chargeStoredConversions`.
 */
export async function chargeConversions(
  tx: Sql,
  batch: { conversions: ConversionFact[]; negRiskMarkets: readonly NegRiskMarketFact[] },
): Promise<void> {
  const unsure = batch.conversions.filter(showsNoFee)
  if (unsure.length === 0) return
  const fees = await selectMarketFees(
    tx,
    unsure.map(({ market }) => market),
  )
  for (const { market, feeBips } of batch.negRiskMarkets) fees.set(market, feeBips)
  for (const conversion of unsure) charge(conversion, fees.get(conversion.market) ?? 0)
}

/** The same for conversions whose blocks were stored before the older blocks that created their markets. */
export async function chargeStoredConversions(tx: Sql, markets: readonly NegRiskMarketFact[]): Promise<void> {
  for (const { market, feeBips } of markets) {
    if (feeBips === 0) continue
    const rows = await tx<(Charged & { seq: bigint })[]>`
      select seq, amount, received, cash, given, taken
        from conversions
       where market = decode(substr(${market}, 3), 'hex')
       order by conversions.seq`
    for (const conversion of rows.filter(showsNoFee)) {
      charge(conversion, feeBips)
      const { seq, received, cash } = conversion
      await tx`update conversions set received = ${received}, cash = ${cash} where seq = ${seq}`
    }
  }
}

const showsNoFee = ({ taken, received, amount }: Charged): boolean =>
  taken.length === 0 && received === amount

/** As the contract does: the fee of one token is rounded down, and the rest paid for all but one. */
function charge(conversion: Charged, feeBips: number): void {
  const { amount, given } = conversion
  conversion.received = amount - (amount * BigInt(feeBips)) / BIPS
  conversion.cash = conversion.received * BigInt(given.length - 1)
}

export const CONVERSIONS: FactKind<ConversionFact> = {
  rows: {
    table: 'conversions',
    columns: [
      'seq',
      'amount',
      'received',
      'cash',
      'wallet',
      'market',
      'index_set',
      'given',
      'taken',
      'tx_hash',
    ],
    toLine(conversion, ids) {
      const { seq, amount, received, cash } = conversion
      const wallet = ids.wallet(conversion.wallet)
      const market = copyBytes(conversion.market)
      const indexSet = copyBytes(conversion.indexSet)
      const given = copyTokens(ids, conversion.given)
      const taken = copyTokens(ids, conversion.taken)
      return `${seq}\t${amount}\t${received}\t${cash}\t${wallet}\t${market}\t${indexSet}\t${given}\t${taken}\t${copyBytes(conversion.txHash)}\n`
    },
  },
  addReferences({ seq, wallet, given, taken }, ids, ordinal) {
    ids.wallets.add(wallet, seq, ordinal)
    ids.tokens.addAll(given, seq, ordinal)
    ids.tokens.addAll(taken, seq, ordinal + ORDINALS_PER_KIND / 2)
  },
  entries: {
    kind: 'conversion',
    toEntries: (conversions, { ids }) =>
      conversions.map((conversion) => ({
        kind: 'conversion',
        seq: conversion.seq,
        timeSec: conversion.timeSec,
        wallet: ids.wallet(conversion.wallet),
        amount: conversion.amount,
        given: idsOfTokens(ids, conversion.given),
        taken: idsOfTokens(ids, conversion.taken),
        received: conversion.received,
        cash: conversion.cash,
      })),
    async select(sql, query) {
      const rows = await sql<Omit<ConversionEntry, 'kind' | 'timeSec'>[]>`
        select seq::float8, amount, received, cash, wallet, given, taken
          from conversions
         where ${isQueried(sql, query)}
         order by conversions.seq
         limit ${query.limit}`
      return rows.map((row) => ({ kind: 'conversion', timeSec: UNTIMED, ...row }))
    },
    idsOf: ({ wallet, given, taken }: ConversionEntry) => ({
      wallets: [wallet],
      tokens: [...given, ...taken],
    }),
    tokensSql: 'unnest(given || taken)',
  },
}
