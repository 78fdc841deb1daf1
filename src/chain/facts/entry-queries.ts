import { blockOf } from '../../core/seq.js'
import type {
  ConversionEntry,
  FillEntry,
  MigrationEntry,
  RedemptionEntry,
  SplitEntry,
  SupplyEntry,
  TransferEntry,
} from '../../ledger/entry.js'
import type { Sql } from '../../store/connection.js'
import { selectTokensOf } from '../ids/name-queries.js'
import { supplySeq } from '../ids/sightings.js'
import { FILL_FLAGS, REDEMPTION_FLAGS, SPLIT_FLAGS } from './codes.js'
import { needsPayouts, Results, selectResults } from './results.js'

/** Which entries, both ends of `seq` included, and at most how many of each kind. */
export type EntryQuery = {
  fromSeq: number
  toSeq: number
  /** Only what these wallets did or got; `undefined`: everything. */
  wallets: readonly number[] | undefined
  limit: number
}

/** The time of a block stands in another table. */
const UNTIMED = 0

const has = (flags: number, bit: number): boolean => (flags & bit) !== 0

const within = (sql: Sql, { fromSeq, toSeq }: EntryQuery) =>
  sql`seq between ${fromSeq} and ${toSeq}`

const ofWallets = (sql: Sql, { wallets }: EntryQuery) =>
  wallets === undefined ? sql`` : sql`and wallet = any(${wallets}::integer[])`

type FillRow = Omit<FillEntry, 'kind' | 'timeSec' | 'isBuy' | 'isTaker' | 'isFeeInShares'> & {
  flags: number
}

/** Oldest first, as all below. Index: the primary key, or that of the wallet. */
export async function selectFills(sql: Sql, query: EntryQuery): Promise<FillEntry[]> {
  const rows = await sql<FillRow[]>`
    select seq::float8, usd, shares, fee, wallet, exchange, token, coalesce(builder, 0) as builder,
           flags
      from fills
     where ${within(sql, query)} ${ofWallets(sql, query)}
     order by fills.seq
     limit ${query.limit}`
  return rows.map((row) => ({
    kind: 'fill',
    seq: row.seq,
    timeSec: UNTIMED,
    wallet: row.wallet,
    exchange: row.exchange,
    token: row.token,
    isBuy: !has(row.flags, FILL_FLAGS.sell),
    isTaker: has(row.flags, FILL_FLAGS.taker),
    usd: row.usd,
    shares: row.shares,
    fee: row.fee,
    isFeeInShares: has(row.flags, FILL_FLAGS.feeInShares),
    builder: row.builder,
  }))
}

type SplitRow = Pick<SplitEntry, 'seq' | 'wallet' | 'condition' | 'amount'> & {
  flags: number
  tokens: number[] | null
}

export async function selectSplits(sql: Sql, query: EntryQuery): Promise<SplitEntry[]> {
  const rows = await sql<SplitRow[]>`
    select seq::float8, amount, wallet, condition, flags, tokens
      from splits
     where ${within(sql, query)} ${ofWallets(sql, query)}
     order by splits.seq
     limit ${query.limit}`
  const tokensOf = new Map<number, number[]>()
  for (const { condition, tokens } of rows) if (tokens === null) tokensOf.set(condition, [])
  if (tokensOf.size > 0) {
    for (const { condition, id } of await selectTokensOf(sql, [...tokensOf.keys()])) {
      tokensOf.get(condition)?.push(id)
    }
  }
  return rows.map((row) => ({
    kind: 'split',
    seq: row.seq,
    timeSec: UNTIMED,
    isMerge: has(row.flags, SPLIT_FLAGS.merge),
    wallet: row.wallet,
    condition: row.condition,
    tokens: row.tokens ?? tokensOf.get(row.condition) ?? [],
    amount: row.amount,
    isCore: has(row.flags, SPLIT_FLAGS.core),
    isUser: has(row.flags, SPLIT_FLAGS.user),
  }))
}

type RedemptionRow = Pick<
  RedemptionEntry,
  'seq' | 'wallet' | 'condition' | 'tokens' | 'amounts' | 'payout'
> & { flags: number }

export async function selectRedemptions(sql: Sql, query: EntryQuery): Promise<RedemptionEntry[]> {
  const rows = await sql<RedemptionRow[]>`
    select seq::float8, payout, wallet, condition, flags, tokens, amounts
      from redemptions
     where ${within(sql, query)} ${ofWallets(sql, query)}
     order by redemptions.seq
     limit ${query.limit}`
  const conditions = new Set<number>()
  for (const { condition, tokens } of rows) if (needsPayouts(tokens)) conditions.add(condition)
  const results = new Results(
    conditions.size === 0 ? [] : await selectResults(sql, [...conditions]),
  )
  return rows.map((row) => ({
    kind: 'redemption',
    seq: row.seq,
    timeSec: UNTIMED,
    wallet: row.wallet,
    condition: row.condition,
    tokens: row.tokens,
    amounts: row.amounts,
    payout: row.payout,
    payouts: needsPayouts(row.tokens) ? results.before(row.condition, row.seq) : undefined,
    isCore: has(row.flags, REDEMPTION_FLAGS.core),
    isUser: has(row.flags, REDEMPTION_FLAGS.user),
  }))
}

export async function selectConversions(sql: Sql, query: EntryQuery): Promise<ConversionEntry[]> {
  const rows = await sql<Omit<ConversionEntry, 'kind' | 'timeSec'>[]>`
    select seq::float8, amount, received, cash, wallet, given, taken
      from conversions
     where ${within(sql, query)} ${ofWallets(sql, query)}
     order by conversions.seq
     limit ${query.limit}`
  return rows.map((row) => ({ kind: 'conversion', timeSec: UNTIMED, ...row }))
}

export async function selectMigrations(sql: Sql, query: EntryQuery): Promise<MigrationEntry[]> {
  const rows = await sql<Omit<MigrationEntry, 'kind' | 'timeSec'>[]>`
    select seq::float8, amount, wallet, from_token, to_token
      from migrations
     where ${within(sql, query)} ${ofWallets(sql, query)}
     order by migrations.seq
     limit ${query.limit}`
  return rows.map((row) => ({ kind: 'migration', timeSec: UNTIMED, ...row }))
}

type TransferRow = Omit<TransferEntry, 'kind' | 'timeSec' | 'from' | 'to'> & {
  fromWallet: number
  toWallet: number
}

export async function selectTransfers(sql: Sql, query: EntryQuery): Promise<TransferEntry[]> {
  const { wallets, limit } = query
  const select = (which: ReturnType<typeof within>) => sql`
    select seq, sub, from_wallet, to_wallet, token, amount
      from transfers
     where ${within(sql, query)} ${which}
     order by seq, sub
     limit ${limit}`
  // Each side has its own index.
  const source =
    wallets === undefined
      ? select(sql``)
      : sql`(${select(sql`and from_wallet = any(${wallets}::integer[])`)})
            union all
            (${select(sql`and to_wallet = any(${wallets}::integer[])
                          and from_wallet <> all(${wallets}::integer[])`)})`
  const rows = await sql<TransferRow[]>`
    select seq::float8, from_wallet, to_wallet, token, amount
      from (${source}) as moved
     order by moved.seq, moved.sub
     limit ${limit}`
  return rows.map((row) => ({
    kind: 'transfer',
    seq: row.seq,
    timeSec: UNTIMED,
    from: row.fromWallet,
    to: row.toWallet,
    token: row.token,
    amount: row.amount,
  }))
}

/** A supply changes at the end of a block, and for nobody in particular. */
export async function selectSupplies(sql: Sql, query: EntryQuery): Promise<SupplyEntry[]> {
  if (query.wallets !== undefined) return []
  const rows = await sql<{ block: number; token: number; minted: bigint; burned: bigint }[]>`
    select block, token, minted, burned
      from supply_changes
     where block >= ${blockOf(query.fromSeq)}::bigint
       and block < ${blockOf(query.toSeq + 1)}::bigint
     order by block, token
     limit ${query.limit}`
  return rows.map(({ block, token, minted, burned }) => ({
    kind: 'supply',
    seq: supplySeq(block),
    timeSec: UNTIMED,
    token,
    minted,
    burned,
  }))
}
