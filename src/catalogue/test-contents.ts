import { isClosed } from '../../sim/markets/market-state.js'
import type { Sql } from '../store/connection.js'
import type { CatalogueWorld } from './test-world.js'

/** What Gamma shows, in a form that both sides can be brought into. */
export function contentsOfUniverse({ universe, ...world }: CatalogueWorld) {
  const events = world.events().toSorted((a, b) => Number(a.id) - Number(b.id))
  return {
    events: events.map((event) => ({
      id: Number(event.id),
      slug: event.slug,
      title: event.title,
      series: event.series?.slug ?? null,
      closed: event.markets.every((market) => isClosed(universe, market)),
      tags: event.tags.map(({ slug }) => slug),
    })),
    markets: events
      .flatMap(({ markets }) => markets)
      .toSorted((a, b) => Number(a.id) - Number(b.id))
      .map((market) => ({
        id: Number(market.id),
        event: Number(market.event.id),
        slug: market.slug,
        question: market.question,
        condition: market.conditionId,
        closed: isClosed(universe, market),
        outcomes: [...market.outcomes],
        tokens: market.tokens.map(({ word }) => `0x${word}`),
        endAt: new Date(market.endMs),
      })),
  }
}

export async function contentsOfDatabase(sql: Sql) {
  return {
    events: [
      ...(await sql`
        select e.id, e.slug, e.title, s.slug as series, e.closed,
               array(select t.slug from event_tags et join tags t on t.id = et.tag
                      where et.event = e.id order by et.place) as tags
          from events e left join series s on s.id = e.series order by e.id`),
    ],
    markets: [
      ...(await sql`
        select m.id, m.event, m.slug, m.question, '0x' || encode(m.condition, 'hex') as condition,
               m.closed, m.outcomes,
               array(select '0x' || encode(mt.token, 'hex') from market_tokens mt
                      where mt.market = m.id order by mt.outcome) as tokens, m.end_at
          from markets m order by m.id`),
    ],
  }
}

/** Everything that the catalogue keeps, but for the times of our own clock. */
export async function hashContents(sql: Sql): Promise<string> {
  const [row] = await sql<{ hash: string }[]>`
    select md5(concat(
      (select string_agg((to_jsonb(t) - 'first_seen')::text, '' order by id) from events t),
      (select string_agg((to_jsonb(t) - 'first_seen')::text, '' order by id) from markets t),
      (select string_agg(t::text, '' order by event, tag) from event_tags t),
      (select string_agg(t::text, '' order by token) from market_tokens t),
      (select string_agg(t::text, '' order by id) from tags t),
      (select string_agg(t::text, '' order by id) from series t))) as hash`
  return row?.hash ?? ''
}
