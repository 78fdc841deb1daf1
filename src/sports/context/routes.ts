import type { Static } from 'typebox'
import type { AnswerTools } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import type { Cached } from '../../lib/stale-fallback-cache.js'
import { withTimeout } from '../../lib/timeout.js'
import { onlineStatusOf, presentOnlineResult, SEARCH_DEFAULTS } from '../../lookups/online-result.js'
import type { OnlineAnswer } from '../../upstreams/searxng/online-search.js'
import type { Game } from '../games/game.js'
import { defineGameAnswers } from '../games/game-answers.js'
import { readGameState } from '../quotes/game-state.js'
import type { SportsDeps, SportsTools } from '../sources.js'
import { askSocial } from './ask-social.js'
import { type GameQuery, generateQueries, withoutPostOperators } from './game-queries.js'
import {
  type ContextSource,
  GameContextFilters,
  GameContextReply,
  PER_QUERY_MAX,
  QUERIES_MAX,
  SOURCE_NAMES,
} from './schemas.js'
import { describeSourceFault, type Found, settleQuery, sumUp } from './settle.js'

/** Clients give up after ten seconds: what has not come until then is left out. */
const CONTEXT_MS = 9_000
/** For the sources, however long it took to find the game. */
const LEFT_MS_MIN = 1_000

const DESCRIPTION = `What people write about a game, for agents: queries made from its title, and what each source found for
them. One source that fails does not fail the others: \`status\` says how each went, and what does not come
within nine seconds is left out. Nothing of it is stored. Social queries are asked one a second, and each
costs one unit of the social quota; the plan must have one. The online queries of a request count together as
one online search of the key.`

const context = defineGameAnswers({
  suffix: '/context',
  operationId: 'getGameContext',
  summary: 'What is written about a game',
  description: DESCRIPTION,
  query: GameContextFilters,
  reply: GameContextReply,
  answer: readContext,
})

export const gameContextRoutes = endpointRoutes(context)

async function readContext(
  tools: AnswerTools<SportsDeps>,
  game: Cached<Game>,
  input: Static<typeof GameContextFilters>,
): Promise<Static<typeof GameContextReply>> {
  const { slug, title } = game.value
  const { query_set: querySet, max_queries, max_per_query } = input
  const queries = generateQueries(game.value, {
    querySet,
    max: Math.min(max_queries, QUERIES_MAX),
  })
  const sources = readSources(input.sources)
  const leftMs = Math.max(LEFT_MS_MIN, CONTEXT_MS - (tools.platform.clock.now() - tools.nowMs))
  const most = Math.min(max_per_query, PER_QUERY_MAX)
  const [social, online, state] = await Promise.all([
    sources.includes('social') ? askSocial(tools, { queries, postsMax: most, leftMs }) : undefined,
    sources.includes('online') ? askOnline(tools, { queries, resultsMax: most, leftMs }) : undefined,
    input.include_state ? readState(tools, game, input.price_limit_tokens, leftMs) : {},
  ])
  return {
    slug,
    title,
    ...(game.isStale && { stale: true as const }),
    query_set: querySet,
    generated_queries: queries,
    sources_requested: sources,
    sources: { ...(social !== undefined && { social }), ...(online !== undefined && { online }) },
    ...state,
  }
}

async function readState(
  tools: AnswerTools<SportsDeps>,
  game: Cached<Game>,
  priceLimitTokens: number,
  leftMs: number,
): Promise<Pick<Static<typeof GameContextReply>, 'state' | 'state_error'>> {
  try {
    const state = readGameState(tools, game, { priceLimitTokens })
    return { state: await withTimeout(state, leftMs, 'No answer in time.') }
  } catch (error) {
    return { state_error: describeSourceFault(error).error }
  }
}

/** In the order of the request, each once; the schema has checked that there is one. */
function readSources(text: string): ContextSource[] {
  const names = text.split(',').map((name) => SOURCE_NAMES.get(name.trim()))
  return [...new Set(names.filter((name) => name !== undefined))]
}

type AskOnline = { queries: readonly GameQuery[]; resultsMax: number; leftMs: number }

/** All queries at once. Together they count as one search of the key. */
async function askOnline(tools: SportsTools, { queries, resultsMax, leftMs }: AskOnline) {
  const charged = tools.deps.admission.chargeOrRefuse(tools.caller, 'search_online')
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
function searchFor({ deps, caller }: SportsTools, q: string): Promise<OnlineAnswer> {
  const { ttlSeconds, ...search } = SEARCH_DEFAULTS
  const options = { ttlMs: ttlSeconds * 1000, accountId: caller.accountId }
  return deps.onlineSearch.search({ ...search, timeRange: undefined, q }, options)
}

function toFound(answer: OnlineAnswer, max: number): Found<ReturnType<typeof presentOnlineResult>> {
  const items = answer.results.slice(0, max).map(presentOnlineResult)
  return { items, status: onlineStatusOf(answer) }
}
