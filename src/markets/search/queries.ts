import type { OrderKey, Page } from '../../core/page.js'
import { type Fragment, joinFragments, planAnew, type Sql } from '../../store/connection.js'
import { isOfEvents } from '../catalogue-filter.js'
import {
  type CatalogueFilter,
  type CatalogueId,
  type CatalogueScope,
  countCatalogueIds,
  keyOfCatalogueId,
  selectCatalogueIds,
} from '../catalogue-page.js'
import { insidePattern, type QueryWord, startPattern } from './query-words.js'

export type SearchScope = {
  slug: string
  /** The events with this slug. */
  events: readonly number[]
  words: readonly QueryWord[]
}

/** `rank`: which of the ways to match this is, the best first. */
export type FoundMarket = CatalogueId & { rank: number }

export const keyOfFoundMarket = ({ rank, ...found }: FoundMarket): OrderKey => [
  rank,
  ...keyOfCatalogueId(found),
]

/**
 * Markets that match a search: the one with this slug, those of the event with this slug, those with all
 * words at beginnings of words, and those with all words anywhere; each by volume. A later way to
 * match is not tried before the earlier ones are used up. Indexes: see catalogue-page.ts.
 */
export async function selectFound(
  sql: Sql,
  scope: SearchScope,
  page: Page,
): Promise<FoundMarket[]> {
  const [rankFrom, ...after] = page.after ?? [0]
  const found: FoundMarket[] = []
  let { offset } = page
  for (const [rank, filters] of ranksOf(sql, scope).entries()) {
    if (rank < Number(rankFrom) || filters === undefined) continue
    const one = { ...BY_VOLUME, filters }
    const key = rank === rankFrom && after.length > 0 ? after : undefined
    const limit = page.limit - found.length
    const rows = await selectCatalogueIds(sql, one, { limit, offset, after: key })
    found.push(...rows.map((row) => ({ ...row, rank })))
    if (found.length === page.limit) break
    // Rows to pass over that this rank does not have are passed over in the next one.
    const isPassed = offset === 0 || rows.length > 0
    offset = isPassed ? 0 : offset - (await countCatalogueIds(sql, one, offset))
  }
  return found
}

const BY_VOLUME = {
  table: 'markets',
  sort: 'volume_all_time',
  isAscending: false,
} as const satisfies Partial<CatalogueScope>

/** `undefined`: nothing can match in this way. */
function ranksOf(
  sql: Sql,
  { slug, events, words }: SearchScope,
): (readonly CatalogueFilter[] | undefined)[] {
  const hasSlug = few(sql`c.slug = ${slug}`)
  const hasOtherSlug = most(sql`c.slug is distinct from ${slug}`)
  const isOfEvent = isOfEvents(sql, events)
  const isOfOtherEvent = most(sql`(c.event is null or c.event <> all(${[...events]}::int[]))`)
  const isNew = events.length === 0 ? [hasOtherSlug] : [hasOtherSlug, isOfOtherEvent]
  const starts = hasText(sql, words, startPattern)
  const inside = hasText(sql, words, insidePattern)
  return [
    [hasSlug],
    events.length === 0 ? undefined : [isOfEvent, hasOtherSlug],
    [some(textOf(sql, starts)), ...isNew],
    [some(textOf(sql, sql`${inside} and not (${starts})`)), ...isNew],
  ]
}

const few = (condition: Fragment): CatalogueFilter => ({ condition, matches: 'few' })
const some = (condition: Fragment): CatalogueFilter => ({ condition, matches: 'some' })
const most = (condition: Fragment): CatalogueFilter => ({ condition, matches: 'most' })

const textOf = (sql: Sql, condition: Fragment): Fragment => sql`exists (
  select from market_texts t where t.market = c.id and ${condition})`

/** The condition on the text `t` that it has all words. Index: market_texts_trigrams. */
export function hasText(
  sql: Sql,
  words: readonly QueryWord[],
  patternOf: (word: string) => string,
): Fragment {
  const each = words.map((word) => {
    const meanings = word.map((text) => sql`t.text like ${patternOf(text)}`)
    return sql`(${joinFragments(sql, meanings, sql`or`)})`
  })
  return joinFragments(sql, each, sql`and`)
}

/** Whether any market has all words, or the slug. Index: market_texts_trigrams, markets_slug. */
export async function hasMatch(sql: Sql, { words, slug, events }: SearchScope): Promise<boolean> {
  const [row] = await planAnew(sql<{ isFound: boolean }[]>`
    select ${events.length > 0}::boolean
        or exists (select from markets where slug = ${slug})
        or exists (select from market_texts t where ${hasText(sql, words, insidePattern)})
        as is_found`)
  return row?.isFound ?? false
}
