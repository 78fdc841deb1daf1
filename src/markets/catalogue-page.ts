import type { OrderKey, Page } from '../core/page.js'
import { isOneOfTags, selectTagFilters, type TagFilter } from '../lookups/tag-filter.js'
import { type Fragment, joinFragments, type Sql, withoutPreparedPlan } from '../store/connection.js'
import { isAfterKey, type OrderColumn, orderedBy } from '../store/keyset.js'

/**
 * Pages of markets or events in the order of one of their columns. There are two plans for a filter.
 * Either a scan of the index of the order that skips rows which do not match: right for a tag or word of
 * many rows. Or collecting all rows that match and sorting them: right for rare ones. A probe of the
 * first rows of the order chooses; PostgreSQL's estimates would not, because a word that half of
 * the markets have may be in none of those that are traded much.
 */
export type CatalogueScope = {
  table: 'markets' | 'events'
  sort: CatalogueSort
  isAscending: boolean
  /** Conditions on the row `c`, whose `event` is its event, or itself. */
  filters: readonly CatalogueFilter[]
  /** `undefined`: both. */
  isClosed?: boolean | undefined
  /** Another table that has what the filters and the order need, as `c`, to collect rows from. */
  collectFrom?: { table: Fragment; conditions: readonly Fragment[] }
}

/**
 * `most`: nearly every second row of the order matches, so it is checked along the index. `few`: not
 * many match, and an index finds them. `some`: either.
 */
export type CatalogueFilter = { condition: Fragment; matches: 'most' | 'some' | 'few' }

const CATALOGUE_SORTS = {
  volume_all_time: { column: 'coalesce(c.volume, 0)', type: 'numeric' },
  liquidity: { column: 'coalesce(c.liquidity, 0)', type: 'numeric' },
  market_count: { column: 'coalesce(c.market_count, 0)', type: 'integer' },
  created_at: { column: "coalesce(c.created_at, '-infinity')", type: 'timestamptz' },
  end_date: { column: "coalesce(c.end_at, '-infinity')", type: 'timestamptz' },
} as const satisfies Record<string, OrderColumn>
type CatalogueSort = keyof typeof CATALOGUE_SORTS

/** A row and its sort key. */
export type CatalogueId = { id: number; key: string }

export const keyOfCatalogueId = ({ key, id }: CatalogueId): OrderKey => [key, id]

const PROBED_ROWS = 500
const SCANNED_ROWS_MAX = 5_000

/** Indexes: markets_open_volume and the like; those of the filters where these match few rows. */
export async function selectCatalogueIds(
  sql: Sql,
  scope: CatalogueScope,
  page: Page,
): Promise<CatalogueId[]> {
  const wanted = page.offset + page.limit
  if (scope.filters.some(({ matches }) => matches === 'few')) return collect(sql, scope, page)
  if (scope.filters.every(({ matches }) => matches === 'most')) return scanOrder(sql, scope, page)

  const probed = await scanOrder(sql, scope, page, PROBED_ROWS)
  if (probed.length === page.limit) return probed
  // Half as many again, because rows that match are not spread evenly.
  const needed = Math.ceil((PROBED_ROWS * wanted * 1.5) / (page.offset + probed.length))
  const isNear = probed.length > 0 && needed <= SCANNED_ROWS_MAX
  const scanned = isNear ? await scanOrder(sql, scope, page, needed) : []
  return scanned.length === page.limit ? scanned : collect(sql, scope, page)
}

const orderOf = ({ sort }: CatalogueScope): readonly OrderColumn[] => [
  CATALOGUE_SORTS[sort],
  { column: 'c.id', type: 'integer' },
]

const tableOf = (sql: Sql, { table }: CatalogueScope): Fragment =>
  table === 'markets' ? sql`markets` : sql`(select events.*, id as event from events)`

/**
 * Scans the index of the order, at most `rows` of it. Open and closed rows have an index each, so the
 * first rows of both are merged.
 */
function scanOrder(
  sql: Sql,
  scope: CatalogueScope,
  { after, limit, offset }: Page,
  rows?: number,
): Promise<CatalogueId[]> {
  const { isAscending, isClosed } = scope
  const order = orderOf(scope)
  const dense = scope.filters.filter(({ matches }) => matches === 'most')
  const sparse = scope.filters.filter(({ matches }) => matches !== 'most')
  const half = (state: Fragment) => sql`
    (select c.id, c.event, c.slug, ${sql.unsafe(CATALOGUE_SORTS[scope.sort].column)} as key
       from ${tableOf(sql, scope)} c
      where ${allOf(sql, [state, isAfterKey(sql, order, after, isAscending), ...conditionsOf(dense)])}
      ${orderedBy(sql, order, isAscending)}
      limit ${rows ?? offset + limit})`
  const halves = [
    ...(isClosed === true ? [] : [half(sql`not c.closed`)]),
    ...(isClosed === false ? [] : [half(sql`c.closed`)]),
  ]
  const merged = orderedBy(sql, MERGED, isAscending)
  return withoutPreparedPlan(sql<CatalogueId[]>`
    select c.id, c.key::text
      from (
        select * from (${joinFragments(sql, halves, sql`union all`)}) c ${merged}
         limit ${rows ?? offset + limit}
      ) c
     where ${allOf(sql, conditionsOf(sparse))}
     ${merged} limit ${limit} offset ${offset}`)
}

const MERGED: readonly OrderColumn[] = [
  { column: 'c.key', type: 'text' },
  { column: 'c.id', type: 'integer' },
]

/** All rows that match, sorted. They are materialized first: otherwise PostgreSQL could scan the order again. */
function collect(sql: Sql, scope: CatalogueScope, { after, limit, offset }: Page): Promise<CatalogueId[]> {
  const { isAscending, isClosed } = scope
  const { table, conditions } = collectedOf(sql, scope)
  const all = [
    ...conditions,
    isAfterKey(sql, orderOf(scope), after, isAscending),
    ...(isClosed === undefined ? [] : [isClosed ? sql`c.closed` : sql`not c.closed`]),
  ]
  return withoutPreparedPlan(sql<CatalogueId[]>`
    with found as materialized (
      select c.id, ${sql.unsafe(CATALOGUE_SORTS[scope.sort].column)} as key
        from ${table} c
       where ${allOf(sql, all)}
    )
    select c.id, c.key::text from found c
     ${orderedBy(sql, MERGED, isAscending)} limit ${limit} offset ${offset}`)
}

/** How many rows match, up to a bound. */
export async function countCatalogueIds(sql: Sql, scope: CatalogueScope, countMax: number): Promise<number> {
  const { table, conditions } = collectedOf(sql, scope)
  const [row] = await withoutPreparedPlan(sql<{ count: number }[]>`
    select count(*)::int as count
      from (select from ${table} c where ${allOf(sql, conditions)} limit ${countMax}) found`)
  return row?.count ?? 0
}

const collectedOf = (sql: Sql, scope: CatalogueScope) =>
  scope.collectFrom ?? { table: tableOf(sql, scope), conditions: conditionsOf(scope.filters) }

const conditionsOf = (filters: readonly CatalogueFilter[]): Fragment[] =>
  filters.map(({ condition }) => condition)

const allOf = (sql: Sql, conditions: readonly Fragment[]): Fragment =>
  joinFragments(sql, [sql`true`, ...conditions], sql`and`)

/** What lists of markets and of events are narrowed by. */
type CatalogueFilters = {
  category?: string | undefined
  tag_slug?: string | undefined
  event_slug?: string | undefined
  active?: boolean | undefined
  neg_risk?: boolean | undefined
}

/** A condition for each filter that has a value. `undefined`: nothing can match. */
export async function resolveCatalogueFilters(
  sql: Sql,
  filterValues: CatalogueFilters,
): Promise<CatalogueFilter[] | undefined> {
  const filters: CatalogueFilter[] = []
  for (const tagged of await selectTagFilters(sql, filterValues)) {
    if (tagged.tags.length === 0) return undefined
    filters.push(hasTag(sql, tagged))
  }
  if (filterValues.event_slug !== undefined) {
    const events = await selectEventIds(sql, filterValues.event_slug)
    if (events.length === 0) return undefined
    filters.push(isOfEvents(sql, events))
  }
  const { active, neg_risk: negRisk } = filterValues
  if (active === true) filters.push({ condition: sql`c.active`, matches: 'most' })
  // Few ever were taken off. Index: markets_inactive, events_inactive.
  if (active === false) filters.push({ condition: sql`not c.active`, matches: 'few' })
  if (negRisk !== undefined) {
    filters.push({ condition: negRisk ? sql`c.neg_risk` : sql`not c.neg_risk`, matches: 'most' })
  }
  return filters
}

/** Indexes: event_tags_pkey along an order; else event_tags_tag or event_tags_first, and markets_event. */
export const hasTag = (sql: Sql, filter: TagFilter): CatalogueFilter => ({
  condition: sql`exists (
    select from event_tags et where et.event = c.event and ${isOneOfTags(sql, filter)})`,
  matches: 'some',
})

/** Index: markets_event. */
const isOfEvents = (sql: Sql, events: readonly number[]): CatalogueFilter => ({
  condition: sql`c.event = any(${[...events]}::int[])`,
  matches: 'few',
})

/** Index: events_slug. */
async function selectEventIds(sql: Sql, slug: string): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`select id from events where slug = ${slug} order by id`
  return rows.map(({ id }) => id)
}
