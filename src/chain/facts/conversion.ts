import type { ConversionEntry } from '../../ledger/entry.js'
import { copyBytes } from '../../store/copy.js'
import {
  copyTokens,
  type FactKind,
  idsOfTokens,
  isQueried,
  PLACES_PER_KIND,
  type TimedOrigin,
  UNTIMED,
} from './fact-kind.js'

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
  /** The money received. */
  cash: bigint
}

export const CONVERSIONS: FactKind<ConversionFact> = {
  rows: {
    table: 'conversions',
    columns: [
      ...['seq', 'amount', 'received', 'cash', 'wallet', 'market', 'index_set', 'given', 'taken'],
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
  addReferences({ seq, wallet, given, taken }, ids, place) {
    ids.wallets.add(wallet, seq, place)
    ids.tokens.addAll(given, seq, place)
    ids.tokens.addAll(taken, seq, place + PLACES_PER_KIND / 2)
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
