import type { Sql } from '../../store/connection.js'
import { selectEventIds } from '../catalogue-filter.js'
import { correctWords } from './corrections.js'
import { hasMatch, type SearchScope } from './queries.js'
import { isSearchable, toQuerySlug, toQueryWords } from './query-words.js'

/**
 * What a search is for. When no market has all its words, misspelt ones are corrected. `undefined`:
 * nothing can match.
 */
export async function resolveSearch(sql: Sql, q: string): Promise<SearchScope | undefined> {
  const slug = toQuerySlug(q)
  const words = toQueryWords(q)
  if (!isSearchable(words)) return undefined
  const scope = { slug, events: await selectEventIds(sql, slug), words }
  if (await hasMatch(sql, scope)) return scope
  const corrected = await correctWords(sql, q)
  return corrected === undefined ? undefined : { ...scope, words: corrected }
}
