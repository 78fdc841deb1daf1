/** Stands before every letter or digit that begins a word, so that a `like` can match beginnings of words. */
export const WORD_START = '|'

const STARTS = /(?<![\p{L}\p{N}])(?=[\p{L}\p{N}])/gu
const SPACES = /[\s\p{Cc}]+/gu
const TYPOGRAPHIC_MARKS: [RegExp, string][] = [
  [/[‘’]/g, "'"],
  [/[“”]/g, '"'],
  [/[‐-―]/g, '-'],
]

/**
 * A text as search compares it: small letters without accents, plain quotes and dashes, the beginning
 * of each word marked. `São-Paulo $5?` becomes `|sao-|paulo $|5?`. What a caller searches for is
 * written in the same way, so that it is found literally, punctuation included.
 */
export function toSearchText(text: string): string {
  let plain = text.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')
  for (const [mark, plainMark] of TYPOGRAPHIC_MARKS) plain = plain.replace(mark, plainMark)
  return plain.replace(SPACES, ' ').trim().replace(STARTS, WORD_START)
}

/** The text of a market or an event: its fields, of which a word never matches two at once. */
export const joinSearchTexts = (fields: readonly (string | null)[]): string =>
  fields.map((field) => toSearchText(field ?? '')).join(' ')

const WORDS = /(?<=\|)\p{L}{4,40}(?![\p{L}\p{N}])/gu

/**
 * The words of a search text that may be what a misspelt one means. Short ones and those with digits
 * resemble too many others.
 */
export const wordsOf = (searchText: string): string[] => searchText.match(WORDS) ?? []
