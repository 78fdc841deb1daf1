import type { Static } from 'typebox'
import type { KeyedAccess } from '../accounts/access.js'
import { type AnswerTools, defineAnswer } from '../http/answer.js'
import { endpointRoutes } from '../http/endpoint.js'
import { clampCount } from '../lib/clamp-count.js'
import { errorReply } from '../lib/error-reply.js'
import { onlineStatusOf, presentOnlineResult } from '../lookups/online-result.js'
import type { SearxngQuery } from '../upstreams/searxng/client.js'
import {
  ONLINE_RESULTS_MAX,
  type OnlineAnswer,
  type OnlineSearch,
} from '../upstreams/searxng/online-search.js'
import { OnlineSearchQuery, OnlineSearchReply } from './schemas.js'

const TTL_SECONDS_MAX = 3_600

const ACCESS: KeyedAccess = { buckets: ['rest', 'search_online'], cost: 'page' }

const DESCRIPTION = `Asks search engines through the SearXNG of this server. Answers are kept in memory: \`cache_ttl_seconds\`
says how old one may be, and an answer that lacks an engine is used for a minute at most. While no engine
answers, an older answer is shown with \`cached\` and \`partial\`; without one the answer is 502. At most 3
requests per 10 seconds and key, those answered from memory included. Words that begin with \`!\`, \`:\`, \`<\`
or \`?\` are searched for without that character.`

const searchOnline = defineAnswer({
  path: '/v2/search/online',
  operationId: 'searchOnline',
  summary: 'Search the web',
  description: DESCRIPTION,
  tag: 'search',
  access: ACCESS,
  dependsOnChain: false,
  query: OnlineSearchQuery,
  reply: OnlineSearchReply,
  errors: {
    502: errorReply('No engine answers (`search_unavailable`), or web search is not set up here'),
  },
  answer: async ({ deps, caller }: AnswerTools<{ onlineSearch: OnlineSearch }>, input) => {
    const query = toOnlineQuery(input)
    const ttlMs = clampCount(input.cache_ttl_seconds, TTL_SECONDS_MAX) * 1000
    const answer = await deps.onlineSearch.search(query, { ttlMs, accountId: caller.accountId })
    const resultsMax = clampCount(input.max_results, ONLINE_RESULTS_MAX)
    return presentSearch(answer, { q: input.q, engines: query.engines, resultsMax })
  },
})

export const searchRoutes = endpointRoutes([searchOnline])

function toOnlineQuery(input: Static<typeof OnlineSearchQuery>): SearxngQuery {
  const { q, language, time_range: timeRange, safe_search: safeSearch } = input
  // In the order of the request, each once.
  const engines = [...new Set(input.engines.split(',').map((name) => name.trim()))]
  return { q, engines, language, timeRange, safeSearch }
}

type RequestedSearch = { q: string; engines: readonly string[]; resultsMax: number }

function presentSearch(answer: OnlineAnswer, { q, engines, resultsMax }: RequestedSearch) {
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
