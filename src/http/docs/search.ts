/** What the search knows: a section of a guide, an operation of the API or a message of the streams. */
export type SearchEntry = {
  /** Title of the page that has it. */
  page: string
  heading: string
  href: string
  text: string
}

/** The part of the text that has the words, cut where they stand. */
export type FoundEntry = SearchEntry & { snippet: { text: string; isFound: boolean }[] }

type IndexedEntry = { entry: SearchEntry; title: string; body: string }

const FOUND_MAX = 30
const SNIPPET_CHARS = 220

export class DocsSearch {
  readonly #entries: readonly IndexedEntry[]

  constructor(entries: readonly SearchEntry[]) {
    this.#entries = entries.map((entry) => ({
      entry,
      title: `${entry.page} ${entry.heading}`.toLowerCase(),
      body: entry.text.toLowerCase(),
    }))
  }

  /** The entries that have all of the words, those with them in a heading first. */
  find(query: string): FoundEntry[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return []
    return this.#entries
      .map((indexed) => ({ entry: indexed.entry, score: scoreOf(indexed, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, FOUND_MAX)
      .map(({ entry }) => ({ ...entry, snippet: markWords(cutSnippet(entry.text, words), words) }))
  }
}

/** 0: one of the words is nowhere in the entry. */
function scoreOf({ title, body }: IndexedEntry, words: readonly string[]): number {
  let score = 0
  for (const word of words) {
    const inTitle = title.includes(word)
    if (!inTitle && !body.includes(word)) return 0
    score += (inTitle ? 10 : 0) + Math.min(5, body.split(word).length - 1)
  }
  return score
}

/** The text around the first of the words. */
function cutSnippet(text: string, words: readonly string[]): string {
  const plain = text.replaceAll(/\s+/g, ' ')
  const lower = plain.toLowerCase()
  const matchIndexes = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0)
  const from = matchIndexes.length === 0 ? 0 : Math.max(0, Math.min(...matchIndexes) - SNIPPET_CHARS / 4)
  const cut = plain.slice(from, from + SNIPPET_CHARS)
  return `${from > 0 ? '… ' : ''}${cut}${from + SNIPPET_CHARS < plain.length ? ' …' : ''}`
}

function markWords(text: string, words: readonly string[]): FoundEntry['snippet'] {
  const pattern = words.map((word) => word.replaceAll(/[^\p{L}\p{N}]/gu, '\\$&')).join('|')
  const parts = text.split(new RegExp(`(${pattern})`, 'i'))
  return parts.map((part, index) => ({ text: part, isFound: index % 2 === 1 }))
}
