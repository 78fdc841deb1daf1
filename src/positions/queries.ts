import type { OrderKey, Page } from '../core/page.js'
import { blockOf } from '../core/seq.js'
import { toTimeColumn } from '../core/unix-time.js'
import { changedPositions, scanPositions } from '../lookups/as-of.js'
import { type TokenMarket, withMarkets } from '../lookups/market-block.js'
import type { PositionState, PositionStatus } from '../lookups/position.js'
import { isListed } from '../lookups/position-sql.js'
import { type Fragment, joinFragments, type Sql } from '../store/connection.js'
import { isAfterKey, type OrderColumn, orderedBy } from '../store/keyset.js'
import { hex } from '../store/sql-words.js'

/** Which positions, and in which order. What is `undefined` does not matter. */
export type PositionScope = {
  /** Rows are as of the block of this `seq`. */
  until: number
  wallet?: number | undefined
  /** Any of these. */
  wallets?: readonly number[] | undefined
  tokens?: readonly number[] | undefined
  sort: PositionSort
  isAscending: boolean
  status?: PositionStatus | undefined
  isHeld?: boolean | undefined
  sizeMin?: bigint | undefined
  /** Of the market's event, as a slug or as a label. */
  tag?: string | undefined
  /** Unix seconds of the last fill, both ends included. */
  filledFrom?: number | undefined
  filledTo?: number | undefined
}

/** `id`: by wallet and token alone, which never change. */
export type PositionSort = keyof typeof SORT_COLUMNS | 'id'

/** A position as a list shows it. */
export type PositionRow = PositionState & {
  wallet: number
  token: number
  address: string
  lastSec: number
  /** 0: there was no fill. */
  filledSec: number
  key: OrderKey
  isGone: boolean
}

// div() rounds toward zero. Shares that were never bought come after all others.
const AVERAGE = `case when p.held > 0 then div(p.cost * 1000000::numeric, p.held)
                      when p.bought > 0 then div(p.bought_cost * 1000000::numeric, p.bought)
                      else -1e30 end`

/** An expression divided by the denominator of the current price; 0 without a price. */
const PRICED = (expression: string) => `coalesce((
  select div(${expression}, price.denominator)
    from token_prices price where price.token = p.token and price.denominator > 0), 0)`

const CASH_PNL = PRICED('p.held * price.numerator - p.cost * price.denominator')
const INITIAL = `greatest(${AVERAGE}, 0) * p.balance`

/** Of the market of the token; `none` where the catalogue does not have it. */
const OF_MARKET = (column: string, none: string) => `coalesce((
  select m.${column}
    from tokens t
    join market_tokens mt on mt.token = t.token
    join markets m on m.id = mt.market
   where t.id = p.token), ${none})`

const SORT_COLUMNS = {
  realized: { column: 'p.realized', type: 'bigint' },
  balance: { column: 'p.balance', type: 'bigint' },
  bought: { column: 'p.bought', type: 'bigint' },
  last_sec: { column: 'p.last_sec', type: 'integer' },
  // No index has those below: all positions that match are read and sorted.
  average: { column: AVERAGE, type: 'numeric' },
  price: { column: PRICED('1000000::numeric * price.numerator'), type: 'numeric' },
  value: { column: PRICED('p.balance::numeric * price.numerator'), type: 'numeric' },
  initial: { column: INITIAL, type: 'numeric' },
  cash_pnl: { column: CASH_PNL, type: 'numeric' },
  percent_pnl: { column: `${CASH_PNL} / greatest(${INITIAL}, 1)`, type: 'numeric' },
  title: { column: `${OF_MARKET('question', "''")} collate "C"`, type: 'text' },
  end: { column: OF_MARKET('end_at', "'infinity'"), type: 'timestamptz' },
} as const satisfies Record<string, OrderColumn>
const WALLET: OrderColumn = { column: 'p.wallet', type: 'integer' }
const TOKEN: OrderColumn = { column: 'p.token', type: 'integer' }

/** The order is total: no two positions have the same wallet and token. */
function orderOf({ sort, wallet }: PositionScope): OrderColumn[] {
  const ids = wallet === undefined ? [WALLET, TOKEN] : [TOKEN]
  return sort === 'id' ? ids : [SORT_COLUMNS[sort], ...ids]
}

/**
 * Positions that were bought or are held, combos left out. Indexes, all partial with the first condition
 * of `matches`: positions_wallet_<sort>, positions_token_<sort>, positions_<sort>. Several tokens are a
 * scan each. A wallet's positions in few tokens come by the primary key and are sorted, as are those of
 * a wallet by average. Conditions that no index has are checked on the way.
 */
export async function selectPositions(
  sql: Sql,
  scope: PositionScope,
  { limit, offset, after }: Page,
): Promise<PositionRow[]> {
  const { wallet, tokens, isAscending } = scope
  const order = orderOf(scope)
  const orderBy = orderedBy(sql, order, isAscending)
  const afterCursor = isAfterKey(sql, order, after, isAscending)
  const scanOf = (where: Fragment) => ({
    where: sql`${where} and ${matches(sql, scope)} and ${afterCursor}`,
    orderBy,
    limit: offset + limit,
  })
  const key = order.map(({ column }) => `(${column})::text`).join(', ')
  const rows = await sql<PositionRow[]>`
    with ${changedPositions(sql, blockOf(scope.until), { wallet, tokens })}
    select p.wallet, p.token, ${hex(sql, 'w.address')} as address, p.last_sec, p.filled_sec,
           p.balance, p.held, p.cost, p.realized, p.bought, p.bought_cost,
           array[${sql.unsafe(key)}] as key, w.id is null as is_gone
      from (${scanPositions(sql, rangesOf(sql, scope).map(scanOf))}) p
      left join wallets w on w.id = p.wallet
     ${orderBy} offset ${offset} limit ${limit}`
  return rows
}

/** The part of the table that each scan reads, in the words of its index. */
function rangesOf(sql: Sql, { wallet, tokens }: PositionScope): Fragment[] {
  const ofWallet = wallet === undefined ? sql`true` : sql`p.wallet = ${wallet}`
  return tokens?.map((token) => sql`${ofWallet} and p.token = ${token}`) ?? [ofWallet]
}

function matches(sql: Sql, scope: PositionScope): Fragment {
  const { wallets, status, isHeld, sizeMin, tag, filledFrom, filledTo } = scope
  const conditions = [isListed(sql, 'market')]
  const ofSize = (held: boolean) => (held ? sql`p.balance > 0` : sql`p.balance <= 0`)
  if (status !== undefined) {
    const isResolved = resolvedBy(sql, scope.until)
    const isOver = status === 'redeemable' || status === 'redeemed'
    conditions.push(ofSize(status === 'open' || status === 'redeemable'))
    conditions.push(isOver ? isResolved : sql`not ${isResolved}`)
  }
  if (wallets !== undefined) conditions.push(sql`p.wallet = any(${[...wallets]}::integer[])`)
  if (isHeld !== undefined) conditions.push(ofSize(isHeld))
  if (sizeMin !== undefined) conditions.push(sql`p.balance >= ${sizeMin}`)
  if (filledFrom !== undefined) conditions.push(sql`p.filled_sec >= ${toTimeColumn(filledFrom)}`)
  if (filledTo !== undefined) conditions.push(sql`p.filled_sec between 1 and ${toTimeColumn(filledTo)}`)
  if (tag !== undefined) conditions.push(hasTag(sql, tag))
  return joinFragments(sql, conditions, sql`and`)
}

/** Whether the condition of a position's token had a result. Index: primary keys, resolutions_condition. */
const resolvedBy = (sql: Sql, until: number): Fragment => sql`
  (select exists (select from resolutions r where r.condition = ${conditionOf(sql)} and r.seq <= ${until})
     from tokens t where t.id = p.token)`

/** The condition of the token `t`: the catalogue may state it before a log does. */
const conditionOf = (sql: Sql): Fragment => sql`
  coalesce(t.condition, (
    select c.id
      from market_tokens mt
      join markets m on m.id = mt.market
      join conditions c on c.condition = m.condition
     where mt.token = t.token
  ))`

/** Index: primary keys, event_tags_pkey. */
const hasTag = (sql: Sql, tag: string): Fragment => sql`
  (select exists (
            select
              from market_tokens mt
              join markets m on m.id = mt.market
              join event_tags et on et.event = m.event
              join tags g on g.id = et.tag
             where mt.token = t.token and (g.slug = ${tag} or g.label = ${tag}))
     from tokens t where t.id = p.token)`

/** What the rows of a page need to know about their tokens. */
export type TokenState = {
  token: number
  /** Null: there is no price. */
  priceSource: string | null
  numerator: string
  denominator: string
  /** The result as of `until`; null: there is none. */
  payouts: string[] | null
  outcome: number | null
  resolvedSec: number | null
  negRisk: boolean | null
  /** Hex text; null: the condition has other than two outcomes, or the other is unknown. */
  opposite: string | null
  /** In the platform's order, the first of which is the category. Null: no market is known. */
  tagLabels: string[] | null
  tagSlugs: string[] | null
}

/** One row for each token that exists, in no order. Prices are those of now. Index: primary keys. */
function selectTokenStates(sql: Sql, tokens: readonly number[], until: number): Promise<TokenState[]> {
  return sql<TokenState[]>`
    select t.id as token, price.source as price_source, price.numerator::text, price.denominator::text,
           r.payouts, coalesce(t.outcome, case when t.condition is null then mt.outcome end) as outcome,
           b.time as resolved_sec, m.neg_risk, '0x' || encode(${selectOpposite(sql)}, 'hex') as opposite,
           case when m.id is not null then coalesce(tagged.labels, '{}') end as tag_labels,
           case when m.id is not null then coalesce(tagged.slugs, '{}') end as tag_slugs
      from unnest(${[...tokens]}::integer[]) wanted (id)
      join tokens t on t.id = wanted.id
      join token_prices price on price.token = t.id
      left join market_tokens mt on mt.token = t.token
      left join markets m on m.id = mt.market
      left join lateral (
        select array_agg(g.label order by et.place) filter (where g.label is not null) as labels,
               array_agg(g.slug order by et.place) filter (where g.slug is not null) as slugs
          from event_tags et
          join tags g on g.id = et.tag
         where et.event = m.event
      ) tagged on true
      left join lateral (
        select r.payouts, r.seq
          from resolutions r
         where r.condition = ${conditionOf(sql)} and r.seq <= ${until}
         order by r.seq desc
         limit 1
      ) r on true
      left join blocks b on b.number = r.seq >> 20`
}

/**
 * The token of the other of two outcomes, by the catalogue or by the tokens that the chain has named. Of
 * the token `t` with its market `m` and `mt`, its row of market_tokens.
 */
export const selectOpposite = (sql: Sql): Fragment => sql`
  case when cardinality(m.tokens) = 2 then m.tokens[2 - mt.outcome]
       else (select case when count(*) = 2 then (array_agg(o.token) filter (where o.outcome <> t.outcome))[1] end
               from tokens o
              where o.condition = t.condition and o.outcome is not null) end`

/** The last redemption of the token's condition by the wallet, in Unix seconds. */
type ClosingRow = { wallet: number; token: number; closedSec: number }

/**
 * In no order, for positions that have one. Indexes: that of redemptions by wallet, of which the part
 * of each wallet since the first result is read once; primary keys.
 */
function selectClosings(
  sql: Sql,
  positions: readonly { wallet: number; token: number }[],
): Promise<ClosingRow[]> {
  const wallets = positions.map(({ wallet }) => wallet)
  const tokens = positions.map(({ token }) => token)
  return sql<ClosingRow[]>`
    with resolved as materialized (
      select p.wallet, p.token, done.condition, done.seq
        from unnest(${wallets}::integer[], ${tokens}::integer[]) p (wallet, token)
        join tokens t on t.id = p.token
        join results done on done.condition = ${conditionOf(sql)}
    ), last as materialized (
      select r.wallet, r.condition, max(r.seq) as seq
        from redemptions r
       where r.wallet = any(array(select distinct wallet from resolved))
         and r.seq > (select min(seq) from resolved)
       group by r.wallet, r.condition
    )
    select p.wallet, p.token, b.time as closed_sec
      from resolved p
      join last on last.wallet = p.wallet and last.condition = p.condition
      join blocks b on b.number = last.seq >> 20`
}

/** A position with its market, its price and the result of its condition. */
export type ShownPosition = PositionRow & { market: TokenMarket; state: TokenState }

/** The same with the time of the last redemption; null: there was none. */
export type ClosedPosition = ShownPosition & { closedSec: number | null }

/** Adds their markets and prices to the positions of a page, with one query each. */
export async function withStates(
  sql: Sql,
  positions: readonly PositionRow[],
  { until }: Pick<PositionScope, 'until'>,
): Promise<ShownPosition[]> {
  const rows = await withMarkets(
    sql,
    positions.filter(({ isGone }) => !isGone),
  )
  const tokens = [...new Set(rows.map(({ token }) => token))]
  const states = await selectTokenStates(sql, tokens, until)
  const byToken = new Map(states.map((state) => [state.token, state]))
  return rows.flatMap((row) => {
    const state = byToken.get(row.token)
    return state === undefined ? [] : [{ ...row, state }]
  })
}

export async function withClosings(sql: Sql, rows: readonly ShownPosition[]): Promise<ClosedPosition[]> {
  const resolved = rows.filter(({ state }) => state.payouts !== null)
  const closings = resolved.length === 0 ? [] : await selectClosings(sql, resolved)
  const byKey = new Map(closings.map((closing) => [keyOf(closing), closing.closedSec]))
  return rows.map((row) => ({ ...row, closedSec: byKey.get(keyOf(row)) ?? null }))
}

const keyOf = ({ wallet, token }: { wallet: number; token: number }) => `${wallet}-${token}`
