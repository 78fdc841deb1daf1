import type { OrderKey, Page } from '../../core/page.js'
import { editDistance } from '../../lib/edit-distance.js'
import { hasText, prefixPattern, type QueryWord, substringPattern } from '../../lookups/query-words.js'
import { toSearchText, WORD_START } from '../../lookups/search-text.js'
import type { Fragment, Sql } from '../../store/connection.js'
import {
  type CatalogueFilter,
  type CatalogueId,
  type CatalogueScope,
  countCatalogueIds,
  keyOfCatalogueId,
  selectCatalogueIds,
} from '../catalogue-page.js'

export type SearchScope = {
  q: string
  words: readonly QueryWord[]
  /** Markets whose slug is searched for, and those of an event whose slug is. */
  slugged: readonly number[]
  ofEvent: readonly number[]
  /** Leaves out what is closed or taken off. */
  isOpen?: boolean
}

type SearchFilters = Pick<CatalogueScope, 'filters' | 'collectFrom' | 'isClosed'>

/** The ways to match, by their rank. `undefined`: nothing matches in this way. */
type Ranks = ReadonlyMap<number, SearchFilters | undefined>

/** `rank`: which of the ways to match this is, the best first. */
export type FoundMarket = CatalogueId & { rank: number }

export const keyOfFoundMarket = ({ rank, ...found }: FoundMarket): OrderKey => [
  rank,
  ...keyOfCatalogueId(found),
]

/**
 * Markets that match a search: the one with this slug, those of the event with this slug, those with all
 * words at beginnings of words, and those with all words anywhere; each by volume. A later way to
 * match is not tried before the earlier ones are used up. When no market matches, misspelt words are
 * corrected. Indexes: see catalogue-page.ts.
 */
export async function selectFound(sql: Sql, scope: SearchScope, page: Page): Promise<FoundMarket[]> {
  const [rankFrom = 0] = page.after ?? []
  if (Number(rankFrom) < CORRECTED) {
    const { found, offset } = await selectRanks(sql, ranksOf(sql, scope), page)
    const isFound = found.length > 0 || page.after !== undefined || offset < page.offset
    if (isFound) return found
  }
  const words = await correctWords(sql, scope.q)
  if (words === undefined) return []
  const ranks = textRanks(sql, { ...scope, words }, [], CORRECTED)
  return (await selectRanks(sql, ranks, page)).found
}

/** `offset`: how many rows must still be passed over. */
async function selectRanks(sql: Sql, ranks: Ranks, page: Page) {
  const [rankFrom = 0, ...after] = page.after ?? []
  const found: FoundMarket[] = []
  let { offset } = page
  for (const [rank, filters] of ranks) {
    if (rank < Number(rankFrom) || filters === undefined) continue
    const one = { ...BY_VOLUME, ...filters }
    const key = rank === rankFrom && after.length > 0 ? after : undefined
    const limit = page.limit - found.length
    const rows = await selectCatalogueIds(sql, one, { limit, offset, after: key })
    found.push(...rows.map((row) => ({ ...row, rank })))
    if (found.length === page.limit) break
    // Rows to pass over that this rank does not have are passed over in the next one.
    const isPassed = offset === 0 || rows.length > 0
    offset = isPassed ? 0 : offset - (await countCatalogueIds(sql, one, offset))
  }
  return { found, offset }
}

/** The ranks of corrected words begin here. */
const CORRECTED = 4

const BY_VOLUME = {
  table: 'markets',
  sort: 'volume_all_time',
  isAscending: false,
} as const satisfies Partial<CatalogueScope>

function ranksOf(sql: Sql, scope: SearchScope): Ranks {
  const { slugged, ofEvent } = scope
  return new Map([
    [0, isOneOf(sql, scope, slugged)],
    [1, isOneOf(sql, scope, ofEvent)],
    ...textRanks(sql, scope, [...slugged, ...ofEvent], 2),
  ])
}

function isOneOf(sql: Sql, scope: OpenScope, ids: readonly number[]): SearchFilters | undefined {
  if (ids.length === 0) return undefined
  const isNamed = { condition: sql`c.id = any(${[...ids]}::int[])`, matches: 'few' } as const
  return { ...openOnly(scope), filters: [isNamed, ...shownOnly(sql, scope)] }
}

type OpenScope = Pick<SearchScope, 'isOpen'>

const openOnly = ({ isOpen }: OpenScope) => (isOpen === true ? { isClosed: false } : {})

const shownOnly = (sql: Sql, { isOpen }: OpenScope): CatalogueFilter[] =>
  isOpen === true ? [{ condition: sql`c.active`, matches: 'most' }] : []

/** The words at beginnings of words, then anywhere; `found` was found before. */
function textRanks(
  sql: Sql,
  scope: Pick<SearchScope, 'words' | 'isOpen'>,
  found: readonly number[],
  from: number,
): Map<number, SearchFilters> {
  const { words } = scope
  const isNew = sql`c.id <> all(${[...found]}::int[])`
  const shown = shownOnly(sql, scope)
  const texts = scope.isOpen
    ? sql`(select market as id, t.volume, t.text, m.closed, m.active
             from market_texts t join markets m on m.id = t.market)`
    : sql`(select market as id, volume, text from market_texts)`
  const rankOf = (has: (text: Fragment) => Fragment): SearchFilters => ({
    ...openOnly(scope),
    filters: [
      {
        condition: sql`exists (
          select from market_texts t where t.market = c.id and ${has(sql`t.text`)})`,
        matches: 'some',
      },
      { condition: isNew, matches: 'most' },
      ...shown,
    ],
    collectFrom: {
      table: texts,
      conditions: [has(sql`c.text`), isNew, ...shown.map(({ condition }) => condition)],
    },
  })
  const starts = (text: Fragment) => hasText(sql, text, words, prefixPattern)
  const inside = (text: Fragment) => hasText(sql, text, words, substringPattern)
  return new Map([
    [from, rankOf(starts)],
    [from + 1, rankOf((text) => sql`${inside(text)} and not (${starts(text)})`)],
  ])
}

/** Markets with this slug, and those of the events with it. Indexes: markets_slug, events_slug, markets_event. */
export async function selectExactMatches(
  sql: Sql,
  slug: string,
): Promise<{ slugged: number[]; ofEvent: number[] }> {
  const rows = await sql<{ id: number; isSlugged: boolean }[]>`
    select id, true as is_slugged from markets where slug = ${slug}
     union all
    select m.id, false from events e join markets m on m.event = e.id
     where e.slug = ${slug} and m.slug is distinct from ${slug}`
  const idsOf = (isSlugged: boolean) => rows.filter((row) => row.isSlugged === isSlugged).map(({ id }) => id)
  return { slugged: idsOf(true), ofEvent: idsOf(false) }
}

/** More would be guesses. */
const MEANINGS_MAX = 5
const LETTERS = /^\p{L}{4,40}$/u

/**
 * The words of a search that found nothing, with those that begin no word of the catalogue replaced by
 * the words that they resemble most. `undefined`: none is misspelt, or one resembles nothing.
 */
async function correctWords(sql: Sql, q: string): Promise<QueryWord[] | undefined> {
  const words = [...new Set(toSearchText(q).match(/[\p{L}\p{N}]+/gu))]
  const unknown = await selectUnknownWords(
    sql,
    words.filter((word) => LETTERS.test(word)),
  )
  if (unknown.length === 0) return undefined
  const corrected: QueryWord[] = []
  for (const word of words) {
    const meanings = unknown.includes(word) ? await selectMeanings(sql, word) : [word]
    if (meanings.length === 0) return undefined
    corrected.push(meanings.map((meaning) => `${WORD_START}${meaning}`))
  }
  return corrected
}

/** Those that begin no word of the catalogue. Index: search_words_pkey. */
async function selectUnknownWords(sql: Sql, words: readonly string[]): Promise<string[]> {
  const rows = await sql<{ word: string }[]>`
    select asked.word
      from unnest(${[...words]}::text[]) as asked (word)
     where not exists (
       select from search_words known
        where known.word >= asked.word collate "C"
          and known.word < (asked.word || chr(1114111)) collate "C")`
  return rows.map(({ word }) => word)
}

/** Two neighbouring letters that are swapped are one typo. */
function countTypos(word: string, meant: string): number {
  const at = [...word].findIndex((letter, index) => letter !== meant[index])
  const swapped = word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2)
  return at !== -1 && swapped === meant ? 1 : editDistance(word, meant)
}

/** The words with the fewest letters to change. Index: search_words_trigrams. */
async function selectMeanings(sql: Sql, word: string): Promise<string[]> {
  const distanceMax = word.length < 8 ? 1 : 2
  const rows = await sql<{ word: string }[]>`
    select word from similar_words(${word}, ${distanceMax}) as word`
  const measured = rows.map((row) => ({ ...row, apart: countTypos(word, row.word) }))
  const nearest = Math.min(distanceMax, ...measured.map(({ apart }) => apart))
  return measured
    .filter(({ apart }) => apart === nearest)
    .slice(0, MEANINGS_MAX)
    .map((row) => row.word)
}
