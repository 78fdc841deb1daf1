import { type Fragment, joinFragments, type Sql } from '../store/connection.js'
import { toSearchText, WORD_START } from './search-text.js'

/** A word of a search and, where it was misspelt, what it may stand for: one of them must occur. */
export type QueryWord = readonly string[]

/** The words of a search as search texts have them. Those without letters and digits are literal too. */
export const toQueryWords = (q: string): QueryWord[] =>
  [...new Set(toSearchText(q).split(' '))].map((word) => [word])

/** What a search for a market by its address would be: words with `-` between them. */
export const toQuerySlug = (q: string): string => q.toLowerCase().replace(/\s+/g, '-')

/** Whether an index can find any of the words. */
export const isSearchable = (words: readonly QueryWord[]): boolean =>
  words.some((word) => word.some((text) => text.includes(WORD_START)))

/** The pattern of a word at the beginning of a word. */
export const prefixPattern = (word: string): string => `%${escapeLike(word)}%`

/**
 * The pattern of a word anywhere, inside of words too. One or two letters are in nearly every text and
 * have no trigram, so they only match beginnings.
 */
export function substringPattern(word: string): string {
  const longest = Math.max(...word.split(/[^\p{L}\p{N}]+/u).map(({ length }) => length))
  return prefixPattern(longest < 3 ? word : word.replace(/^\|(?=[\p{L}\p{N}])/u, ''))
}

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** The condition that a text has all words. Index: market_texts_trigrams. */
export function hasText(
  sql: Sql,
  text: Fragment,
  words: readonly QueryWord[],
  patternOf: (word: string) => string,
): Fragment {
  const each = words.map((word) => {
    const meanings = word.map((meaning) => sql`${text} like ${patternOf(meaning)}`)
    return sql`(${joinFragments(sql, meanings, sql`or`)})`
  })
  return joinFragments(sql, each, sql`and`)
}
