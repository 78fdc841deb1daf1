import type { OnlineAnswer } from '../../search/online-search.js'
import { onlineStatusOf, presentOnlineResult } from '../../search/present.js'
import type { SportsTools } from '../sources.js'
import { type GameQuery, withoutPostOperators } from './game-queries.js'
import { type Found, settleQuery, sumUp } from './settle.js'

/** As a search without parameters has them. */
const STANDARD_SEARCH = {
  ...{ engines: ['bing', 'duckduckgo'], language: 'en-US' },
  ...{ timeRange: undefined, safeSearch: 0 },
}
const TTL_MS = 600_000

type AskOnline = { queries: readonly GameQuery[]; resultsMax: number; leftMs: number }

/** All queries at once. Together they count as one search of the key. */
export async function askOnline(tools: SportsTools, { queries, resultsMax, leftMs }: AskOnline) {
  const charged = tools.ctx.admission.chargeOrRefuse(tools.caller, 'search_online')
  const settled = await Promise.all(
    queries.map(({ query, ...rest }) => {
      const q = withoutPostOperators(query)
      const found = charged
        .then(() => searchFor(tools, q))
        .then((answer) => toFound(answer, resultsMax))
      return settleQuery({ ...rest, query: q }, found, leftMs)
    }),
  )
  return {
    ...sumUp(settled),
    source: 'search_online' as const,
    adapter: 'searxng' as const,
    result_count: settled.reduce((sum, { items }) => sum + items.length, 0),
    queries: settled.map(({ items, ...query }) => ({ ...query, results: items })),
  }
}

const searchFor = ({ ctx, caller }: SportsTools, q: string): Promise<OnlineAnswer> =>
  ctx.onlineSearch.search({ ...STANDARD_SEARCH, q }, { ttlMs: TTL_MS, accountId: caller.accountId })

function toFound(answer: OnlineAnswer, max: number): Found<ReturnType<typeof presentOnlineResult>> {
  const items = answer.results.slice(0, max).map(presentOnlineResult)
  return { items, status: onlineStatusOf(answer) }
}
