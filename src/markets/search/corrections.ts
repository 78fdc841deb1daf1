import { editDistance } from '../../lib/edit-distance.js'
import type { QueryWord } from '../../lookups/query-words.js'
import { toSearchText, WORD_START } from '../../lookups/search-text.js'
import type { Sql } from '../../store/connection.js'

/** More would be guesses. */
const MEANINGS_MAX = 5
const LETTERS = /^\p{L}{4,40}$/u

/**
 * The words of a search that found nothing, with those that begin no word of the catalogue replaced by
 * the words that they resemble most. `undefined`: none is misspelt, or one resembles nothing.
 */
export async function correctWords(sql: Sql, q: string): Promise<QueryWord[] | undefined> {
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

/** Two neighbours that changed places are one typo. */
export function countTypos(word: string, meant: string): number {
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
