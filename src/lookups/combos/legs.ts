import { type Static, Type } from 'typebox'
import { toTokenId } from '../../core/ids.js'
import { toConditionId } from '../../core/structured-id.js'
import { toIsoTime } from '../../core/unix-time.js'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import type { Sql } from '../../store/connection.js'
import { blockTime, hex } from '../../store/sql-words.js'

/** A leg of a combo. Bytes are hex text, times Unix seconds, whole numbers of any size text. */
type LegRow = {
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
async function selectLegs(sql: Sql, combos: readonly (number | null)[]): Promise<Map<number, LegRow[]>> {
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

/** A row with the legs of its combo. */
export type WithLegs<Row> = Row & { legs: LegRow[] }

/** Adds the legs of its combo to each row of a page. */
export async function withLegs<Row extends { combo: number | null }>(
  sql: Sql,
  rows: readonly Row[],
): Promise<WithLegs<Row>[]> {
  const legs = await selectLegs(
    sql,
    rows.map(({ combo }) => combo),
  )
  return rows.map((row) => ({
    ...row,
    legs: row.combo === null ? [] : (legs.get(row.combo) ?? []),
  }))
}

const Text = nullable(Type.String())

/** Fields from `leg_outcome_label` on, but for those of the result, are only there with a market. */
export const Leg = namedObject('ComboLeg', {
  leg_index: Type.Integer({ minimum: 0 }),
  leg_position_id: Type.String({
    description: 'the structured token, which is not the CLOB token',
  }),
  leg_condition_id: Type.String({ description: '0x and 62 hexadecimal digits' }),
  leg_outcome_index: Type.Integer({ minimum: 0 }),
  leg_status: Type.String({
    enum: ['OPEN', 'RESOLVED_WIN', 'RESOLVED_LOSS', 'RESOLVED_PARTIAL'],
  }),
  leg_result: Type.String({ enum: ['won', 'lost', 'resolved', 'pending'] }),
  leg_resolved_at: nullable(Type.String({ description: 'ISO 8601' }), 'null: no result yet'),
  leg_current_price: nullable(Type.String({ description: '4 decimals' }), 'null: none is known'),
  leg_price_source: nullable(
    Type.String({ enum: ['settlement', 'clob_mid', 'last_fill', 'polymarket_market'] }),
  ),
  leg_outcome_label: Type.Optional(Text),
  market_token_id: Type.Optional(nullable(Type.String({ description: 'the CLOB token' }))),
  market_slug: Type.Optional(Text),
  market_title: Type.Optional(Text),
  event_title: Type.Optional(Text),
  market: Type.Optional(
    namedObject('ComboLegMarket', {
      market_id: Type.String(),
      slug: Text,
      title: Text,
      outcome: Text,
      image_url: Text,
      icon_url: Text,
      category: Text,
      subcategory: Text,
      tags: Type.Array(Type.String()),
      end_date: Text,
      active: nullable(Type.Boolean()),
      closed: nullable(Type.Boolean()),
      accepting_orders: nullable(Type.Boolean()),
      resolved: Type.Boolean(),
      winning_outcome_index: nullable(Type.Integer()),
      event_title: Text,
      event: namedObject('ComboLegEvent', {
        event_id: Text,
        event_slug: Text,
        event_title: Text,
        event_image: Text,
      }),
    }),
  ),
})

type LegStatus = 'OPEN' | 'RESOLVED_WIN' | 'RESOLVED_LOSS' | 'RESOLVED_PARTIAL'

export function presentLeg(leg: LegRow): Static<typeof Leg> {
  const status = legStatusOf(leg)
  return {
    leg_index: leg.place,
    leg_position_id: toTokenId(leg.token),
    leg_condition_id: toConditionId(leg.token),
    leg_outcome_index: leg.outcome,
    leg_status: status,
    leg_result: RESULTS[status],
    leg_resolved_at: leg.resolvedSec === null ? null : toIsoTime(leg.resolvedSec),
    leg_current_price: leg.price,
    leg_price_source: leg.priceSource,
    ...(leg.marketId !== null && presentLegMarket(leg, leg.marketId)),
  }
}

/** Old names of some fields stand beside the object that has them all. */
function presentLegMarket(leg: LegRow, marketId: number) {
  const { slug, title, outcomeLabel, eventId, eventSlug, eventTitle, eventImage } = leg
  return {
    leg_outcome_label: outcomeLabel,
    market_token_id: leg.marketToken === null ? null : toTokenId(leg.marketToken),
    market_slug: slug,
    market_title: title,
    event_title: eventTitle,
    market: {
      market_id: `${marketId}`,
      slug,
      title,
      outcome: outcomeLabel,
      image_url: leg.image,
      icon_url: leg.icon,
      category: leg.category,
      subcategory: null,
      tags: leg.tags ?? [],
      end_date: leg.endAt?.toISOString() ?? null,
      active: leg.active,
      closed: leg.closed,
      accepting_orders: leg.acceptingOrders,
      resolved: leg.numerator !== null || leg.winner !== null,
      winning_outcome_index: leg.winner,
      event_title: eventTitle,
      event: {
        event_id: eventId === null ? null : `${eventId}`,
        event_slug: eventSlug,
        event_title: eventTitle,
        event_image: eventImage,
      },
    },
  }
}

/** What the result of a leg makes of it. */
export function legStatusOf({
  numerator,
  denominator,
}: Pick<LegRow, 'numerator' | 'denominator'>): LegStatus {
  if (numerator === null) return 'OPEN'
  if (numerator === '0') return 'RESOLVED_LOSS'
  return numerator === denominator ? 'RESOLVED_WIN' : 'RESOLVED_PARTIAL'
}

const RESULTS: Record<LegStatus, string> = {
  OPEN: 'pending',
  RESOLVED_WIN: 'won',
  RESOLVED_LOSS: 'lost',
  RESOLVED_PARTIAL: 'resolved',
}
