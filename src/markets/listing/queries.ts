import type { Sql } from '../../store/connection.js'
import { hex, selectBytes } from '../../store/sql-words.js'

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
  /** Labels in Gamma's order; null: the event is not stored. */
  tags: string[] | null
  /** null: the chain has no result. */
  payouts: string[] | null
}

/** The labels of the tags of the event `e`, in Gamma's order. Index: event_tags_pkey. */
export const eventLabels = (sql: Sql) => sql`
  case when e.id is not null then array(
    select coalesce(t.label, t.slug) from event_tags et join tags t on t.id = et.tag
     where et.event = e.id and coalesce(t.label, t.slug) is not null
     order by et.place)
  end`

const listedColumns = (sql: Sql) => sql`
  m.id, ${hex(sql, 'm.condition')} as condition, m.question, m.slug, m.outcomes,
  array(select ${hex(sql, 'token')} from unnest(m.tokens) token) as tokens,
  m.active, m.closed, m.neg_risk,
  coalesce(m.volume, 0)::text as volume, coalesce(m.liquidity, 0)::text as liquidity,
  floor(extract(epoch from m.end_at))::float8 as end_sec,
  floor(extract(epoch from m.created_at))::float8 as created_sec,
  e.slug as event_slug, e.title as event_title, ${eventLabels(sql)} as tags,
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
       ${selectBytes(sql, conditions)}))
     group by condition`
  const markets = await selectListedMarkets(sql, ids)
  return new Map(markets.map((market) => [market.condition ?? '', market]))
}
