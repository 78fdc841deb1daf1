import type {
  ConversionEntry,
  Entry,
  FillEntry,
  MigrationEntry,
  RedemptionEntry,
  SplitEntry,
  SupplyEntry,
  TransferEntry,
} from '../../ledger/entry.js'
import type { Sql } from '../../store/connection.js'
import type {
  ConversionFact,
  MigrationFact,
  RedemptionFact,
  SplitFact,
  Tape,
  TransferFact,
} from '../attribute/tape.js'
import type { FillIds } from '../ids/fill-ids.js'
import type { Names } from '../ids/names.js'
import { supplySeq } from '../ids/sightings.js'
import { mergeEntries } from './merge-entries.js'
import { needsPayouts, Results, selectResults } from './results.js'

/** All that the ledger books of a tape, in the order of `seq`. The names must be resolved. */
export async function toEntries(tx: Sql, tape: Tape, names: Names): Promise<Entry[]> {
  const results = await resultsFor(tx, tape, names)
  return mergeEntries([
    toFills(names.fillIds(tape.fills)),
    tape.splits.map((fact) => toSplit(fact, names)),
    tape.redemptions.map((fact) => toRedemption(fact, names, results)),
    tape.conversions.map((fact) => toConversion(fact, names)),
    tape.migrations.map((fact) => toMigration(fact, names)),
    tape.transfers.map((fact) => toTransfer(fact, names)),
    toSupplies(tape, names),
  ])
}

/** The results of the tape itself, and of the database for what the tape redeems. */
async function resultsFor(tx: Sql, tape: Tape, names: Names): Promise<Results> {
  const redeemed = tape.redemptions.filter(({ tokens }) => needsPayouts(tokens))
  if (redeemed.length === 0) return new Results([])
  const conditions = new Set(redeemed.map(({ condition }) => names.condition(condition)))
  const stored = await selectResults(tx, [...conditions])
  const fresh = tape.resolutions.map(({ seq, condition, payouts }) => ({
    seq,
    condition: names.condition(condition),
    payouts,
  }))
  return new Results([...stored, ...fresh])
}

function toFills(ids: FillIds): FillEntry[] {
  return ids.fills.map((fact, index) => ({
    kind: 'fill',
    seq: fact.seq,
    timeSec: fact.timeSec,
    wallet: ids.wallet(index),
    exchange: ids.exchange(index),
    token: ids.token(index),
    isBuy: fact.side === 'BUY',
    isTaker: fact.isTaker,
    usd: fact.usd,
    shares: fact.shares,
    fee: fact.fee,
    isFeeInShares: fact.isFeeInShares,
    builder: ids.builder(index),
  }))
}

function toSplit(fact: SplitFact, names: Names): SplitEntry {
  return {
    kind: 'split',
    seq: fact.seq,
    timeSec: fact.timeSec,
    isMerge: fact.isMerge,
    wallet: names.wallet(fact.wallet),
    condition: names.condition(fact.condition),
    tokens: fact.tokens.map((word) => names.token(word)),
    amount: fact.amount,
    isCore: fact.isCore,
    isUser: fact.isUser,
  }
}

function toRedemption(fact: RedemptionFact, names: Names, results: Results): RedemptionEntry {
  const condition = names.condition(fact.condition)
  return {
    kind: 'redemption',
    seq: fact.seq,
    timeSec: fact.timeSec,
    wallet: names.wallet(fact.wallet),
    condition,
    tokens: fact.tokens.map((word) => names.token(word)),
    amounts: fact.amounts,
    payout: fact.payout,
    payouts: needsPayouts(fact.tokens) ? results.before(condition, fact.seq) : undefined,
    isCore: fact.isCore,
    isUser: fact.isUser,
  }
}

function toConversion(fact: ConversionFact, names: Names): ConversionEntry {
  return {
    kind: 'conversion',
    seq: fact.seq,
    timeSec: fact.timeSec,
    wallet: names.wallet(fact.wallet),
    amount: fact.amount,
    given: fact.given.map((word) => names.token(word)),
    taken: fact.taken.map((word) => names.token(word)),
    received: fact.received,
    cash: fact.cash,
  }
}

function toMigration(fact: MigrationFact, names: Names): MigrationEntry {
  return {
    kind: 'migration',
    seq: fact.seq,
    timeSec: fact.timeSec,
    wallet: names.wallet(fact.wallet),
    fromToken: names.token(fact.fromToken),
    toToken: names.token(fact.toToken),
    amount: fact.amount,
  }
}

function toTransfer(fact: TransferFact, names: Names): TransferEntry {
  return {
    kind: 'transfer',
    seq: fact.seq,
    timeSec: fact.timeSec,
    from: names.wallet(fact.from),
    to: names.wallet(fact.to),
    token: names.token(fact.token),
    amount: fact.amount,
  }
}

/** Within a block in the order of the tokens' numbers, as the table has them. */
function toSupplies(tape: Tape, names: Names): SupplyEntry[] {
  if (tape.supplies.length === 0) return []
  const times = new Map(tape.blocks.map(({ number, timeSec }) => [number, timeSec]))
  const entries = tape.supplies.map((fact): SupplyEntry => {
    const timeSec = times.get(fact.block)
    if (timeSec === undefined) throw new Error(`the tape has no block ${fact.block}`)
    return {
      kind: 'supply',
      seq: supplySeq(fact.block),
      timeSec,
      token: names.token(fact.token),
      minted: fact.minted,
      burned: fact.burned,
    }
  })
  return entries.sort((a, b) => a.seq - b.seq || a.token - b.token)
}
