import type { Page } from '../../core/page.js'
import { type SeqRange, withinSeq } from '../../lookups/seq-range.js'
import { isUserAct } from '../../lookups/wallet-facts.js'
import { type Fragment, joinFragments, type Sql } from '../../store/connection.js'
import { boundedPage } from '../../store/keyset.js'
import { hex, isSplit } from '../../store/sql-words.js'

export type ActivityKind = 'split' | 'merge' | 'nrc' | 'redemption'

/** What a wallet did with tokens beside trading. */
type ActivityScope = SeqRange & {
  wallet: number
  kinds: readonly ActivityKind[]
  isAscending: boolean
}

/** Bytes are hex text, amounts millionths. */
export type ActivityRow = {
  seq: number
  eventType: ActivityKind
  timeSec: number
  txHash: string
  /** The condition; of a conversion the neg-risk market. */
  reference: string
  amount: bigint
  /** Bits of the outcomes that a redemption names; null for all others. */
  outcomes: number | null
  /** Of the market of a conversion; null for all others, as `indexSet`. */
  questionCount: number | null
  /** Bits of the questions whose NO tokens were converted. */
  indexSet: string | null
  isGone: boolean
}

/**
 * Splits, merges, redemptions and conversions that the wallet wanted, in the order of the chain,
 * without combos. Indexes: splits and redemptions by wallet of each partition, conversions_wallet.
 * Each is one scan in order, and all are merged.
 */
export function selectActivity(sql: Sql, scope: ActivityScope, page: Page): Promise<ActivityRow[]> {
  const scan = (columns: Fragment, table: string, isWanted: Fragment) => sql`
    (select a.seq, a.tx_hash, ${columns}
       from ${sql(table)} a
      where a.wallet = ${scope.wallet} and ${isOnPage(sql, 'a', scope, page)} and ${isWanted}
      order by a.seq ${direction(sql, scope)}
      limit ${page.offset + page.limit})`
  const isWanted = isUserAct(sql, 'a')
  const setKind = sql`case when ${isSplit(sql, 'a')} then 'split' else 'merge' end`
  const tables: { kinds: readonly ActivityKind[]; scan: () => Fragment }[] = [
    {
      kinds: ['split', 'merge'],
      scan: () =>
        scan(
          sql`${setKind} as event_type, a.amount, a.condition, null::bytea as market,
              null::integer as outcomes, null::integer as question_count, null::bytea as index_set`,
          'splits',
          sql`${setKind} = any(${[...scope.kinds]}::text[]) and ${isWanted}`,
        ),
    },
    {
      kinds: ['redemption'],
      scan: () =>
        scan(
          sql`'redemption' as event_type, a.payout as amount, a.condition, null::bytea as market,
              (a.flags >> 4)::integer as outcomes, null::integer as question_count,
              null::bytea as index_set`,
          'redemptions',
          isWanted,
        ),
    },
    {
      kinds: ['nrc'],
      scan: () =>
        scan(
          sql`'nrc' as event_type, a.amount, null::integer as condition, a.market,
              null::integer as outcomes, cardinality(a.given) + cardinality(a.taken) as question_count,
              a.index_set`,
          'conversions',
          sql`true`,
        ),
    },
  ]
  const scans = tables.flatMap(({ kinds, scan: scanTable }) =>
    kinds.some((kind) => scope.kinds.includes(kind)) ? [scanTable()] : [],
  )
  const order = direction(sql, scope)
  const merged = sql`
    select * from (${joinFragments(sql, scans, sql`union all`)}) scans
     order by seq ${order} offset ${page.offset} limit ${page.limit}`
  return sql<ActivityRow[]>`
    with page as materialized (${boundedPage(sql, merged)})
    select p.seq::float8, p.event_type, b.time as time_sec, p.amount, p.outcomes, p.question_count,
           ${hex(sql, 'p.tx_hash')} as tx_hash, ${hex(sql, 'p.index_set')} as index_set,
           ${hex(sql, 'coalesce(c.condition, p.market)')} as reference,
           b.number is null or coalesce(c.condition, p.market) is null as is_gone
      from page p
      left join blocks b on b.number = p.seq >> 20
      left join conditions c on c.id = p.condition
     order by p.seq ${order}`
}

/** Money that a wallet brought through a ramp or took out. */
type FlowScope = SeqRange & {
  wallet: number
  /** The contracts that count. */
  ramps: readonly number[]
  kinds: readonly FlowKind[]
  isAscending: boolean
}

export type FlowKind = 'deposit' | 'withdrawal'

export type FlowRow = {
  seq: number
  kind: FlowKind
  timeSec: number
  txHash: string
  amount: bigint
  asset: string
  ramp: string
  recipient: string
  isGone: boolean
}

/** Deposits and withdrawals in the order of the chain. Index of each partition: to_wallet, from_wallet. */
export function selectFlows(sql: Sql, scope: FlowScope, page: Page): Promise<FlowRow[]> {
  const order = direction(sql, scope)
  const scans = scope.kinds.map(
    (kind) => sql`
      (select f.seq, ${kind} as kind, f.amount, f.asset, f.ramp, f.to_wallet, f.tx_hash
         from flows f
        where ${isFlow(sql, kind, scope)} and ${isOnPage(sql, 'f', scope, page)}
        order by f.seq ${order}
        limit ${page.offset + page.limit})`,
  )
  const merged = sql`
    select * from (${joinFragments(sql, scans, sql`union all`)}) scans
     order by seq ${order} offset ${page.offset} limit ${page.limit}`
  return sql<FlowRow[]>`
    with page as materialized (${boundedPage(sql, merged)})
    select p.seq::float8, p.kind, b.time as time_sec, p.amount,
           ${hex(sql, 'p.tx_hash')} as tx_hash,
           ${hex(sql, 'asset.address')} as asset,
           ${hex(sql, 'ramp.address')} as ramp,
           ${hex(sql, 'recipient.address')} as recipient,
           b.number is null or asset.id is null or ramp.id is null or recipient.id is null
             as is_gone
      from page p
      left join blocks b on b.number = p.seq >> 20
      left join wallets asset on asset.id = p.asset
      left join wallets ramp on ramp.id = p.ramp
      left join wallets recipient on recipient.id = p.to_wallet
     order by p.seq ${order}`
}

export type FlowTotals = { count: number; deposited: bigint; withdrawn: bigint }

/** Sums over all flows of the scope, whatever the page: a window aggregate. Indexes as above. */
export async function selectFlowTotals(sql: Sql, scope: FlowScope): Promise<FlowTotals> {
  const scans = scope.kinds.map(
    (kind) => sql`
      (select ${kind} as kind, count(*) as flows, sum(f.amount) as amount
         from flows f where ${isFlow(sql, kind, scope)})`,
  )
  const [totals] = await sql<FlowTotals[]>`
    select sum(flows)::integer as count,
           coalesce(sum(amount) filter (where kind = 'deposit'), 0)::bigint as deposited,
           coalesce(sum(amount) filter (where kind = 'withdrawal'), 0)::bigint as withdrawn
      from (${joinFragments(sql, scans, sql`union all`)}) sums`
  return totals ?? { count: 0, deposited: 0n, withdrawn: 0n }
}

function isFlow(sql: Sql, kind: FlowKind, scope: FlowScope): Fragment {
  const isOfWallet =
    kind === 'deposit'
      ? sql`f.to_wallet = ${scope.wallet} and f.kind = 0`
      : sql`f.from_wallet = ${scope.wallet} and f.kind = 1`
  return sql`
    ${isOfWallet} and f.ramp = any(${[...scope.ramps]}::integer[])
    and ${withinSeq(sql, 'f.seq', scope)}`
}

type Ordered = SeqRange & { isAscending: boolean }

/** The rows of the range that come after the cursor. */
function isOnPage(sql: Sql, alias: string, scope: Ordered, { after }: Page): Fragment {
  const [seq] = after ?? []
  const range = withinSeq(sql, `${alias}.seq`, scope)
  if (seq === undefined) return range
  return sql`${range} and ${sql(alias)}.seq ${scope.isAscending ? sql`>` : sql`<`} ${seq}`
}

const direction = (sql: Sql, { isAscending }: Ordered): Fragment => (isAscending ? sql`asc` : sql`desc`)
