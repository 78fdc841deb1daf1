import type { SearxngResult } from '../upstreams/searxng/parse.js'
import type { OnlineAnswer } from './online-search.js'

type AskedSearch = { q: string; engines: readonly string[]; resultsMax: number }

export function presentSearch(answer: OnlineAnswer, { q, engines, resultsMax }: AskedSearch) {
  const results = answer.results.slice(0, resultsMax).map(presentOnlineResult)
  return {
    query: q,
    source: 'search_online' as const,
    adapter: 'searxng' as const,
    status: onlineStatusOf(answer),
    cached: answer.isCached,
    engines_requested: [...engines],
    unresponsive_engines: answer.unresponsive,
    result_count: results.length,
    results,
    answers: answer.answers,
    suggestions: answer.suggestions,
    fetched_at: new Date(answer.fetchedMs).toISOString(),
  }
}

export const onlineStatusOf = ({ unresponsive }: OnlineAnswer) =>
  unresponsive.length > 0 ? ('partial' as const) : ('ok' as const)

export const presentOnlineResult = ({ publishedMs, ...result }: SearxngResult) => ({
  ...result,
  published_at: publishedMs === undefined ? null : new Date(publishedMs).toISOString(),
})
