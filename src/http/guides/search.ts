import { findGuide, GUIDE_NAMES, type GuideSection } from './guides.js'

export type FoundSection = GuideSection & { snippet: string }

const FOUND_MAX = 30
const SNIPPET_CHARS = 220

/** The sections that have all of the words, those with them in a heading first. */
export function searchGuides(query: string): FoundSection[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return GUIDE_NAMES.flatMap((name) => findGuide(name)?.sections ?? [])
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, FOUND_MAX)
    .map(({ section }) => ({ ...section, snippet: cutSnippet(section.text, words) }))
}

/** 0: one of the words is nowhere in the section. */
function scoreOf({ heading, text, guide }: GuideSection, words: readonly string[]): number {
  const title = `${guide.title} ${heading}`.toLowerCase()
  const body = text.toLowerCase()
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
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0)
  const from = Math.max(0, Math.min(...places, plain.length) - SNIPPET_CHARS / 4)
  const cut = plain.slice(from, from + SNIPPET_CHARS)
  return `${from > 0 ? '… ' : ''}${cut}${from + SNIPPET_CHARS < plain.length ? ' …' : ''}`
}
