import type { Sql } from '../store/connection.js'
import { blockTime, hex } from '../store/sql-words.js'

/** A leg of a combo. Bytes are hex text, times Unix seconds, whole numbers of any size text. */
export type LegRow = {
  combo: number
  place: number
  token: string
  outcome: number
  /** What the leg pays for a share; null: it has no result yet. */
  numerator: string | null
  denominator: string | null
  resolvedSec: number | null
  /** Null: the catalogue does not have the market, nor anything of what follows. */
  marketId: number | null
  slug: string | null
  title: string | null
  outcomeLabel: string | null
  image: string | null
  icon: string | null
  category: string | null
  endAt: Date | null
  active: boolean | null
  closed: boolean | null
  acceptingOrders: boolean | null
  winner: number | null
  tags: string[] | null
  marketToken: string | null
  /** 4 decimals; null, with its source: no price is known. */
  price: string | null
  priceSource: string | null
  eventId: number | null
  eventSlug: string | null
  eventTitle: string | null
  eventImage: string | null
}

/**
 * The legs of these combos by the ids of their conditions, in their order; a combo without known legs
 * has none. One query for a whole page. Indexes: combos_condition, resolutions_condition,
 * raw_logs_structured, markets_condition, markets_question and primary keys.
 */
export async function selectLegs(
  sql: Sql,
  combos: readonly (number | null)[],
): Promise<Map<number, LegRow[]>> {
  const ids = [...new Set(combos)].filter((id) => id !== null)
  if (ids.length === 0) return new Map()
  const rows = await sql<LegRow[]>`
    select l.combo, l.place, ${hex(sql, 'l.token')} as token, l.outcome,
           l.numerator::text, l.denominator::text,
           ${blockTime(sql, 'l.seq')} as resolved_sec,
           m.id as market_id, m.slug, m.question as title,
           m.outcomes[l.outcome + 1] as outcome_label, m.image,
           coalesce(m.icon, m.image) as icon, m.category, m.end_at, m.active, m.closed,
           m.accepting_orders, result.winner,
           (select array_agg(tags.label order by place)
              from event_tags join tags on tags.id = event_tags.tag
             where event_tags.event = m.event) as tags,
           ${hex(sql, 'm.tokens[l.outcome + 1]')} as market_token,
           case when l.seq is not null or price.source = 'v1_condition' then 'settlement'
                when price.source is not null then price.source
                when stated.price is not null then 'polymarket_market' end as price_source,
           round(case when l.seq is not null then l.numerator / nullif(l.denominator, 0)
                      when price.source is not null then price.numerator / nullif(price.denominator, 0)
                      else stated.price end, 4)::text as price,
           e.id as event_id, e.slug as event_slug, e.title as event_title, e.image as event_image
      from combo_legs l
      left join lateral (
        select mt.market from market_tokens mt where mt.token = l.token
        union all
        select m.id
          from raw_logs r join markets m on m.condition = r.topics[3]
         where r.kind = 'migrationConditionRegistered'
           and r.topics[2] = substring(l.token for 31) || '\\x00'
        union all
        -- Questions of a neg-risk market count up in the last byte of their id.
        select m.id
          from raw_logs r
          join markets m
            on m.question_id = substring(r.data from 33 for 31) || substring(l.token from 31 for 1)
         where r.kind = 'eventPrepared' and get_byte(l.token, 0) = 2 and get_byte(l.token, 29) = 0
           and r.topics[2] = substring(l.token for 29) || '\\x000000'
        limit 1
      ) found on true
      -- Lookups by key: as joins they would be hashed whole for a page of many legs.
      left join lateral (select * from markets where id = found.market limit 1) m on true
      left join lateral (select * from events where id = m.event limit 1) e on true
      left join lateral (
        select p.*
          from tokens t join token_prices p on p.token = t.id
         where t.token = m.tokens[l.outcome + 1]
         limit 1
      ) price on true
      left join lateral (select m.outcome_prices[l.outcome + 1] as price) stated on true
      left join lateral (
        select array_position(r.payouts, (select sum(p) from unnest(r.payouts) p)) - 1 as winner
          from conditions c join resolutions r on r.condition = c.id
         where c.condition = m.condition
         order by r.seq desc
         limit 1
      ) result on true
     where l.combo = any(${ids}::integer[])
     order by l.combo, l.place`
  const byCombo = new Map<number, LegRow[]>(ids.map((id) => [id, []]))
  for (const row of rows) byCombo.get(row.combo)?.push(row)
  return byCombo
}

/** Adds the legs of its combo to each row of a page. */
export async function withLegs<Row extends { combo: number | null }>(
  sql: Sql,
  rows: readonly Row[],
): Promise<(Row & { legs: LegRow[] })[]> {
  const legs = await selectLegs(
    sql,
    rows.map(({ combo }) => combo),
  )
  return rows.map((row) => ({
    ...row,
    legs: row.combo === null ? [] : (legs.get(row.combo) ?? []),
  }))
}
