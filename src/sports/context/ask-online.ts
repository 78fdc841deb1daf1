import type { OnlineAnswer } from '../../search/online-search.js'
import { onlineStatusOf, presentOnlineResult } from '../../search/present.js'
import { SEARCH_DEFAULTS } from '../../search/schemas.js'
import type { SportsTools } from '../sources.js'
import { type GameQuery, withoutPostOperators } from './game-queries.js'
import { type Found, settleQuery, sumUp } from './settle.js'

type AskOnline = { queries: readonly GameQuery[]; resultsMax: number; leftMs: number }

/** All queries at once. Together they count as one search of the key. */
export async function askOnline(tools: SportsTools, { queries, resultsMax, leftMs }: AskOnline) {
  const charged = tools.ctx.admission.chargeOrRefuse(tools.caller, 'search_online')
  const settled = await Promise.all(
    queries.map(({ query, ...rest }) => {
      const q = withoutPostOperators(query)
      const found = charged.then(() => searchFor(tools, q)).then((answer) => toFound(answer, resultsMax))
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

/** As a search without parameters. */
function searchFor({ ctx, caller }: SportsTools, q: string): Promise<OnlineAnswer> {
  const { ttlSeconds, ...search } = SEARCH_DEFAULTS
  const options = { ttlMs: ttlSeconds * 1000, accountId: caller.accountId }
  return ctx.onlineSearch.search({ ...search, timeRange: undefined, q }, options)
}

function toFound(answer: OnlineAnswer, max: number): Found<ReturnType<typeof presentOnlineResult>> {
  const items = answer.results.slice(0, max).map(presentOnlineResult)
  return { items, status: onlineStatusOf(answer) }
}
