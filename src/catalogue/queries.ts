import type { Sql } from '../store/connection.js'
import { selectBytes } from '../store/sql-words.js'
import type { MarketInfoRow } from './market-info.js'
import type { CatalogueRows, EventTagRow } from './rows.js'

/** Writes whole events with their markets: all columns are replaced. */
export async function upsertCatalogue(tx: Sql, rows: CatalogueRows): Promise<void> {
  await upsertLabels(tx, rows)
  await upsertRows(tx, 'events', rows.events)
  await replaceEventTags(tx, rows.events, rows.eventTags)
  await upsertEventTexts(tx, rows.eventTexts)
  await upsertMarkets(tx, rows)
}

/** Writes markets. Gamma gives only the head of their events: it is written where the event is missing. */
export async function upsertLooseMarkets(tx: Sql, rows: CatalogueRows): Promise<void> {
  await upsertLabels(tx, rows)
  const added = await tx<{ id: number }[]>`
    insert into events
    select * from json_populate_recordset(null::events, ${asJson(rows.events)}::text::json)
    on conflict (id) do nothing
    returning id`
  const ids = new Set(added.map(({ id }) => id))
  const events = rows.events.filter(({ id }) => ids.has(id))
  const eventTags = rows.eventTags.filter(({ event }) => ids.has(event))
  const eventTexts = rows.eventTexts.filter(({ event }) => ids.has(event))
  await replaceEventTags(tx, events, eventTags)
  await upsertEventTexts(tx, eventTexts)
  await upsertMarkets(tx, rows)
}

/** Series and tags come with every event: those that did not change are not written again. */
async function upsertLabels(tx: Sql, { series, tags }: CatalogueRows): Promise<void> {
  await tx`
    insert into series as s
    select * from json_populate_recordset(null::series, ${asJson(series)}::text::json)
    on conflict (id) do update
       set (active, closed, slug, title, recurrence, image, created_at) =
           (excluded.active, excluded.closed, excluded.slug, excluded.title, excluded.recurrence,
            excluded.image, excluded.created_at)
     where s is distinct from excluded`
  await tx`
    insert into tags as t
    select * from json_populate_recordset(null::tags, ${asJson(tags)}::text::json)
    on conflict (id) do update set (slug, label) = (excluded.slug, excluded.label)
     where t is distinct from excluded`
}

async function replaceEventTags(tx: Sql, events: readonly { id: number }[], rows: EventTagRow[]) {
  await tx`
    with given as materialized (
      select * from json_populate_recordset(null::event_tags, ${asJson(rows)}::text::json)
    ), gone as (
      delete from event_tags e
       where e.event = any(${events.map(({ id }) => id)}::int[])
         and not exists (select from given g where g.event = e.event and g.tag = e.tag)
    )
    insert into event_tags as e select * from given
    on conflict (event, tag) do update set place = excluded.place
     where e.place <> excluded.place`
}

/** Texts that did not change are not written again. */
async function upsertEventTexts(tx: Sql, texts: CatalogueRows['eventTexts']): Promise<void> {
  await tx`
    insert into event_texts as t
    select * from json_populate_recordset(null::event_texts, ${asJson(texts)}::text::json)
    on conflict (event) do update set text = excluded.text where t.text <> excluded.text`
}

async function upsertMarketTexts(tx: Sql, { marketTexts, words }: CatalogueRows): Promise<void> {
  await tx`
    insert into market_texts as t
    select * from json_populate_recordset(null::market_texts, ${asJson(marketTexts)}::text::json)
    on conflict (market) do update set (volume, text) = (excluded.volume, excluded.text)
     where (t.volume, t.text) is distinct from (excluded.volume, excluded.text)`
  await tx`
    insert into search_words select unnest(${words}::text[]) on conflict do nothing`
}

async function upsertMarkets(tx: Sql, rows: CatalogueRows): Promise<void> {
  const { markets, tokens } = rows
  await queueNewMarkets(tx, markets)
  await upsertRows(tx, 'markets', markets)
  await countMarketsOfEvents(tx, [...new Set(markets.flatMap(({ event }) => event ?? []))])
  await upsertMarketTexts(tx, rows)
  await tx`
    insert into market_tokens as t
    select * from json_populate_recordset(null::market_tokens, ${asJson(tokens)}::text::json)
    on conflict (token) do update set (market, outcome) = (excluded.market, excluded.outcome)
     where (t.market, t.outcome) <> (excluded.market, excluded.outcome)`
}

/** A market that is older when it is met is no news: a lookup has found it late. */
const NEW_MS_MAX = 24 * 60 * 60_000

/**
 * Notes the markets that are not stored yet, or were without their condition, for the matcher of the
 * webhooks to announce. Not during the first reading, when every market is met.
 */
async function queueNewMarkets(tx: Sql, markets: CatalogueRows['markets']): Promise<void> {
  const young = markets.filter(({ condition, created_at, first_seen }) => {
    const ageMs = Date.parse(first_seen ?? '') - Date.parse(created_at ?? '')
    return condition !== null && ageMs <= NEW_MS_MAX
  })
  if (young.length === 0) return
  await tx`
    insert into new_markets
    select met.id
      from unnest(${young.map(({ id }) => id)}::integer[]) as met (id)
     where not exists (select from markets m where m.id = met.id and m.condition is not null)
       and exists (select from catalogue_state where phase = 'done')
    on conflict do nothing`
}

async function countMarketsOfEvents(tx: Sql, events: readonly number[]): Promise<void> {
  await tx`
    update events e set market_count = counted.markets
      from (
        select event, count(*)::int as markets from markets
         where event = any(${[...events]}::int[]) group by event
      ) counted
     where e.id = counted.event and e.market_count is distinct from counted.markets`
}

/** Replaces every column but `id` and `first_seen`. */
async function upsertRows(tx: Sql, table: 'events' | 'markets', rows: readonly { id: number }[]) {
  const [first] = rows
  if (first === undefined) return
  const changes = Object.keys(first)
    .filter((name) => name !== 'id' && name !== 'first_seen')
    .map((name, at) => tx`${at === 0 ? tx`` : tx`,`} ${tx(name)} = excluded.${tx(name)}`)
  await tx`
    insert into ${tx(table)}
    select * from json_populate_recordset(null::${tx(table)}, ${asJson(rows)}::text::json)
    on conflict (id) do update set ${changes}`
}

const asJson = (rows: readonly object[]): string => JSON.stringify(rows)

const infoColumns = (sql: Sql) => sql`
  encode(m.condition, 'hex') as condition, m.question, m.slug, m.image,
  e.title as event_title, e.slug as event_slug, m.closed, m.neg_risk, m.tick_size::float8,
  m.taker_base_fee, m.outcomes, array(select encode(token, 'hex') from unnest(m.tokens) token) as tokens`

const bytes = (sql: Sql, ids: readonly string[]) => sql`
  array(${selectBytes(sql, ids)})`

/** Markets of these tokens and conditions, which are hex text; those that are not stored are absent. */
export function selectMarketInfos(
  sql: Sql,
  tokens: readonly string[],
  conditions: readonly string[],
): Promise<MarketInfoRow[]> {
  return sql<MarketInfoRow[]>`
    select ${infoColumns(sql)}
      from (
        select market as id from market_tokens where token = any(${bytes(sql, tokens)})
        union
        select id from markets where condition = any(${bytes(sql, conditions)})
      ) found
      join markets m on m.id = found.id
      left join events e on e.id = m.event
     where m.condition is not null
     order by m.id`
}

/** Open markets, the newest first. Index: markets_open. */
export function selectOpenMarketInfos(sql: Sql, limit: number): Promise<MarketInfoRow[]> {
  return sql<MarketInfoRow[]>`
    select ${infoColumns(sql)}
      from markets m
      left join events e on e.id = m.event
     where not m.closed and m.condition is not null
     order by m.id desc
     limit ${limit}`
}

export type CatalogueState = {
  phase: 'open' | 'closed' | 'done'
  cursor: string | null
  events: number
  markets: number
  odd: number
  createdUntil: Date | null
  closedUntil: Date | null
  syncedAt: Date | null
}

export async function selectCatalogueState(sql: Sql): Promise<CatalogueState> {
  const [row] = await sql<CatalogueState[]>`
    select phase, cursor, events, markets, odd, created_until, closed_until, synced_at
      from catalogue_state`
  if (row === undefined) throw new Error('the catalogue has lost its state')
  return row
}

export async function updateCatalogueState(sql: Sql, changes: Partial<CatalogueState>) {
  await sql`update catalogue_state set ${sql(changes)}`
}

/** Adds to the entries that could not be stored, or not in full. */
export async function addInvalidCount(sql: Sql, count: number): Promise<void> {
  await sql`update catalogue_state set odd = odd + ${count}`
}

export async function countMarkets(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from markets`
  return row?.count ?? 0
}

/** Those of the markets that are stored, and whether as closed. */
export function selectStoredMarkets(sql: Sql, ids: readonly number[]) {
  return sql<{ id: number; closed: boolean }[]>`
    select id, closed from markets where id = any(${[...ids]}::int[])`
}

/** Ids of events that are stored as open, ascending. Index: events_open. */
export async function selectOpenEventIds(sql: Sql): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id from events where not closed and gone_at is null order by id`
  return rows.map(({ id }) => id)
}

export async function updateGone(sql: Sql, events: readonly number[], nowMs: number) {
  await sql`
    update events set gone_at = ${new Date(nowMs)} where id = any(${[...events]}::int[])`
}
