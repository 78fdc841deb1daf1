import { selectTokenPrices, type TokenPriceSource } from '../catalogue/token-prices.js'
import { parseTokenId } from '../core/ids.js'
import type { Page } from '../core/page.js'
import { blockOf } from '../core/seq.js'
import { hexToBytes } from '../lib/hex.js'
import type { SharePrice } from '../lookups/position.js'
import { hasText, type QueryWord, substringPattern } from '../lookups/query-words.js'
import { type SeqRange, withinSeq } from '../lookups/seq-range.js'
import type { Sql } from '../store/connection.js'
import { isAfterKey, type OrderColumn, orderedBy } from '../store/keyset.js'
import type { CatalogueFilter, CatalogueId } from './catalogue-page.js'

/** A market as the catalogue and the chain know it. Bytes are hex text, amounts decimal text. */
export type ListedMarket = {
  id: number
  condition: string | null
  question: string | null
  slug: string | null
  outcomes: string[]
  tokens: string[]
  active: boolean
  closed: boolean
  negRisk: boolean
  volume: string
  liquidity: string
  endSec: number | null
  createdSec: number | null
  eventSlug: string | null
  eventTitle: string | null
  image: string | null
  /** What distinguishes it from the other markets of its event. */
  groupTitle: string | null
  /** What the catalogue says of the prices of its outcomes. */
  outcomePrices: (string | null)[] | null
  /** Labels in Gamma's order; null: the event is not stored. */
  tags: string[] | null
  /** null: the chain has no result. */
  payouts: string[] | null
}

/** The labels of the tags of the event `e`, in Gamma's order. Index: event_tags_pkey. */
const eventLabels = (sql: Sql) => sql`
  case when e.id is not null then array(
    select coalesce(t.label, t.slug) from event_tags et join tags t on t.id = et.tag
     where et.event = e.id and coalesce(t.label, t.slug) is not null
     order by et.place)
  end`

const listedColumns = (sql: Sql) => sql`
  m.id, '0x' || encode(m.condition, 'hex') as condition, m.question, m.slug, m.outcomes,
  array(select '0x' || encode(token, 'hex') from unnest(m.tokens) token) as tokens,
  m.active, m.closed, m.neg_risk,
  coalesce(m.volume, 0)::text as volume, coalesce(m.liquidity, 0)::text as liquidity,
  floor(extract(epoch from m.end_at))::float8 as end_sec,
  floor(extract(epoch from m.created_at))::float8 as created_sec,
  e.slug as event_slug, e.title as event_title, m.image, m.group_title, m.outcome_prices,
  ${eventLabels(sql)} as tags,
  (select r.payouts from conditions c join results r on r.condition = c.id
    where c.condition = m.condition limit 1) as payouts`

/** These markets, in the order of the ids. Index: primary keys. */
export async function selectListedMarkets<Row extends { id: number }>(
  sql: Sql,
  rows: readonly Row[],
): Promise<(Row & ListedMarket)[]> {
  const markets = await sql<ListedMarket[]>`
    select ${listedColumns(sql)}
      from markets m
      left join events e on e.id = m.event
     where m.id = any(${rows.map(({ id }) => id)}::int[])`
  const byId = new Map(markets.map((market) => [market.id, market]))
  return rows.flatMap((row) => {
    const market = byId.get(row.id)
    return market === undefined ? [] : [{ ...row, ...market }]
  })
}

/** The markets of these conditions; of several with one condition the first. Index: markets_condition. */
export async function selectMarketsOfConditions(
  sql: Sql,
  conditions: readonly string[],
): Promise<Map<string, ListedMarket>> {
  const ids = await sql<{ id: number }[]>`
    select min(id) as id from markets
     where condition = any(array(
       select decode(substr(hex, 3), 'hex') from unnest(${[...conditions]}::text[]) hex))
     group by condition`
  const markets = await selectListedMarkets(sql, ids)
  return new Map(markets.map((market) => [market.condition ?? '', market]))
}

/** The market of a slug, the first of several; none when the catalogue does not have it. */
export async function selectMarketOfSlug(sql: Sql, slug: string): Promise<ListedMarket[]> {
  const id = await selectMarketIdOfSlug(sql, slug)
  return await selectListedMarkets(sql, id === undefined ? [] : [{ id }])
}

/** Index: markets_slug. */
export async function selectMarketIdOfSlug(sql: Sql, slug: string): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`select id from markets where slug = ${slug} order by id limit 1`
  return row?.id
}

/** A condition on the chain. Tokens are hex text by outcome; `payouts` null: there is no result. */
export type ConditionRow = { tokens: string[]; payouts: string[] | null }

/** `undefined`: the chain does not have it. Indexes: conditions_condition_key, tokens_condition. */
export async function selectCondition(sql: Sql, condition: string): Promise<ConditionRow | undefined> {
  const [row] = await sql<ConditionRow[]>`
    select array(
             select '0x' || encode(t.token, 'hex') from tokens t
              where t.condition = c.id and t.outcome is not null
              order by t.outcome
           ) as tokens,
           (select r.payouts from results r where r.condition = c.id limit 1) as payouts
      from conditions c
     where c.condition = ${hexToBytes(condition)}`
  return row
}

type ResolutionScope = SeqRange & { condition: string | undefined }

type ResolutionFact = { seq: number; condition: string; payouts: string[]; timeSec: number }
export type ResolutionRow = ResolutionFact & { market: ListedMarket | undefined }

const NEWEST_FIRST: readonly OrderColumn[] = [{ column: 'r.seq', type: 'bigint' }]

/** Results, newest first, each with its market. Indexes: resolutions_pkey, resolutions_condition. */
export async function selectResolutions(
  sql: Sql,
  scope: ResolutionScope,
  { after, limit, offset }: Page,
): Promise<ResolutionRow[]> {
  const { condition } = scope
  const rows = await sql<ResolutionFact[]>`
    select r.seq::float8, '0x' || encode(c.condition, 'hex') as condition, r.payouts,
           b.time as time_sec
      from resolutions r
      join conditions c on c.id = r.condition
      join blocks b on b.number = (r.seq >> 20)::int
     where ${withinSeq(sql, 'r.seq', scope)} and ${isAfterKey(sql, NEWEST_FIRST, after, false)}
     ${condition === undefined ? sql`` : sql`and c.condition = ${hexToBytes(condition)}`}
     ${orderedBy(sql, NEWEST_FIRST, false)}
     limit ${limit} offset ${offset}`
  const conditions = rows.map((row) => row.condition)
  const markets = await selectMarketsOfConditions(sql, conditions)
  return rows.map((row) => ({ ...row, market: markets.get(row.condition) }))
}

/** An event with its markets. Amounts are decimal text. */
export type ListedEvent = {
  id: number
  slug: string | null
  title: string | null
  tags: string[] | null
  marketCount: number
  active: boolean
  closed: boolean
  negRisk: boolean
  volume: string
  liquidity: string
  endSec: number | null
  image: string | null
  conditions: string[]
}

/** These events, in the order of the ids. Indexes: events_pkey, markets_event. */
export async function selectListedEvents(
  sql: Sql,
  rows: readonly CatalogueId[],
): Promise<(CatalogueId & ListedEvent)[]> {
  const events = await sql<ListedEvent[]>`
    select e.id, e.slug, e.title, ${eventLabels(sql)} as tags,
           coalesce(e.market_count, 0) as market_count, e.active, e.closed, e.neg_risk,
           coalesce(e.volume, 0)::text as volume, coalesce(e.liquidity, 0)::text as liquidity,
           floor(extract(epoch from e.end_at))::float8 as end_sec, e.image,
           array(
             select '0x' || encode(m.condition, 'hex') from markets m
              where m.event = e.id and m.condition is not null order by m.id
           ) as conditions
      from events e
     where e.id = any(${rows.map(({ id }) => id)}::int[])`
  const byId = new Map(events.map((event) => [event.id, event]))
  return rows.flatMap((row) => {
    const event = byId.get(row.id)
    return event === undefined ? [] : [{ ...row, ...event }]
  })
}

/** Events with all words in title or slug. Index: event_texts_trigrams. */
export const hasEventText = (sql: Sql, words: readonly QueryWord[]): CatalogueFilter => ({
  condition: sql`exists (
    select from event_texts t where t.event = c.event and ${hasText(sql, sql`t.text`, words, substringPattern)})`,
  matches: 'some',
})

/** What the chain or the catalogue has of a token; bytes are hex text. */
type TokenHead = {
  id: number | null
  market: number | null
  condition: string | null
  outcome: number | null
  isResolved: boolean
}

export type PricedToken = Omit<TokenHead, 'id' | 'market'> & {
  token: string
  price: SharePrice
  /** null: there is no price yet. */
  source: TokenPriceSource | null
  /** When the fact was booked, or the midpoint read, that the price comes from. */
  pricedAtMs: number | null
  market: ListedMarket | undefined
}

const NO_PRICE = {
  numerator: 0n,
  denominator: 1n,
  source: undefined,
  seq: undefined,
  readAtMs: undefined,
}

/** `undefined`: neither the chain nor the catalogue has the token. Indexes: tokens_token_key, market_tokens_pkey. */
export async function selectPricedToken(sql: Sql, tokenId: string): Promise<PricedToken | undefined> {
  const token = parseTokenId(tokenId)
  const head = token === undefined ? undefined : await selectTokenHead(sql, hexToBytes(token))
  if (token === undefined || head === undefined) return undefined
  const prices = await selectTokenPrices(sql, head.id === null ? [] : [head.id])
  const { source, seq, readAtMs, ...price } = prices.get(head.id ?? -1) ?? NO_PRICE
  const [market] = await selectListedMarkets(sql, head.market === null ? [] : [{ id: head.market }])
  return {
    ...head,
    token,
    price,
    source: source ?? null,
    pricedAtMs: readAtMs ?? (seq === undefined ? null : await selectTimeMs(sql, Number(seq))),
    market,
  }
}

async function selectTokenHead(sql: Sql, token: Uint8Array): Promise<TokenHead | undefined> {
  const [row] = await sql<TokenHead[]>`
    select t.id, mt.market, coalesce(mt.outcome, t.outcome) as outcome,
           '0x' || encode(coalesce(m.condition, stated.condition), 'hex') as condition,
           exists (
             select from conditions c join resolutions r on r.condition = c.id
              where c.condition = coalesce(m.condition, stated.condition)
           ) as is_resolved
      from (select ${token}::bytea as token) asked
      left join tokens t on t.token = asked.token
      left join conditions stated on stated.id = t.condition
      left join market_tokens mt on mt.token = asked.token
      left join markets m on m.id = mt.market
     where t.id is not null or mt.market is not null`
  return row
}

/** Index: blocks_pkey. */
async function selectTimeMs(sql: Sql, seq: number): Promise<number | null> {
  const [row] = await sql<{ time: number }[]>`
    select time from blocks where number = ${blockOf(seq)}`
  return row === undefined ? null : row.time * 1000
}
