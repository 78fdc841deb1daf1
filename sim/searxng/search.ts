import { hash32, unit } from '../universe/random.js'
import type { Universe } from '../universe/universe.js'
import { listPages, type Page } from './pages.js'
import type { Engine, Search } from './parameters.js'

const RESULTS_MAX = 10
const SUGGESTIONS_MAX = 3
/** Share of the pages that an engine knows. */
const KNOWN_SHARE = 0.75

/** Engines differ in what they know and in how they order it. */
const ENGINE_SEEDS: Readonly<Record<Engine, number>> = { bing: 11, brave: 12, duckduckgo: 13 }

/** Why each engine does not answer, when it does not. */
export const FAILURES: Readonly<Record<Engine, string>> = {
  bing: 'timeout',
  brave: 'Suspended: too many requests',
  duckduckgo: 'CAPTCHA',
}

type Merged = { page: Page; engines: Engine[]; positions: number[] }

/** What the instance answers. `silent`: the engines that do not. */
export function runSearch(universe: Universe, search: Search, silent: readonly Engine[]): object {
  const { query, engines } = search
  const found = listPages(universe).filter(isWithin(universe, search))
  const answering = engines.filter((engine) => !silent.includes(engine))
  const merged = mergeResults(answering.map((engine) => [engine, askEngine(engine, found, search)] as const))
  const [first] = merged
  return {
    query,
    results: merged.map(presentResult),
    answers: first === undefined || !/\bwhen\b/i.test(query) ? [] : [presentAnswer(first)],
    corrections: [],
    infoboxes: [],
    suggestions: [...new Set(merged.map(({ page }) => page.title))].slice(-SUGGESTIONS_MAX),
    unresponsive_engines: engines
      .filter((engine) => silent.includes(engine))
      .sort()
      .map((engine) => [engine, FAILURES[engine]]),
  }
}

const isWithin =
  ({ nowMs }: Universe, { rangeMs }: Search) =>
  ({ publishedMs }: Page): boolean =>
    rangeMs === undefined || publishedMs === undefined || publishedMs >= nowMs - rangeMs

/** The pages with at least half of the words, those with most of them first. */
function askEngine(engine: Engine, pages: readonly Page[], search: Search): Page[] {
  const seed = ENGINE_SEEDS[engine]
  const words = search.query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const rated = pages.flatMap((page) => {
    if (words.length === 0 || unit(seed, page.seed) > KNOWN_SHARE) return []
    const text = `${page.title} ${page.content}`.toLowerCase()
    const share = words.filter((word) => text.includes(word)).length / words.length
    return share >= 0.5 ? [{ page, share }] : []
  })
  const start = (search.pageNumber - 1) * RESULTS_MAX
  return rated
    .sort((a, b) => b.share - a.share || hash32(seed, a.page.seed) - hash32(seed, b.page.seed))
    .slice(start, start + RESULTS_MAX)
    .map(({ page }) => page)
}

/** A page that several engines found is one result, with its position in each of them. */
function mergeResults(found: readonly (readonly [Engine, Page[]])[]): Merged[] {
  const byUrl = new Map<string, Merged>()
  for (const [engine, pages] of found) {
    for (const [index, page] of pages.entries()) {
      const merged = byUrl.get(page.url) ?? { page, engines: [], positions: [] }
      merged.engines.push(engine)
      merged.positions.push(index + 1)
      byUrl.set(page.url, merged)
    }
  }
  return [...byUrl.values()].sort((a, b) => scoreOf(b) - scoreOf(a))
}

/** All engines weigh the same. */
const scoreOf = ({ positions }: Merged): number =>
  positions.reduce((sum, position) => sum + positions.length / position, 0)

function presentResult(merged: Merged): object {
  const { page, engines, positions } = merged
  const { url, title, content, publishedMs } = page
  const published = publishedMs === undefined ? undefined : new Date(publishedMs).toISOString()
  return {
    url,
    title,
    content,
    thumbnail: '',
    engine: engines[0],
    template: 'default.html',
    parsed_url: splitUrl(url),
    img_src: '',
    iframe_src: '',
    audio_src: '',
    priority: '',
    engines,
    positions,
    score: scoreOf(merged),
    category: 'general',
    // Some engines know the zone of a time, others do not.
    publishedDate: published?.replace(/\.\d+Z$/, page.seed % 2 === 0 ? '' : '+00:00') ?? null,
    ...(published !== undefined && { pubdate: published.slice(0, 19).replace('T', ' ') }),
  }
}

function presentAnswer({ page, engines }: Merged): object {
  const { url, event } = page
  return {
    url,
    engine: engines[0],
    parsed_url: splitUrl(url),
    template: 'answer/legacy.html',
    answer: `${event.title}: ${new Date(event.endMs).toISOString().slice(0, 10)}`,
  }
}

/** Scheme, host, path, parameters, query and fragment, as Python takes an address apart. */
function splitUrl(url: string): string[] {
  const { protocol, host, pathname, search, hash } = new URL(url)
  return [protocol.slice(0, -1), host, pathname, '', search.slice(1), hash.slice(1)]
}
