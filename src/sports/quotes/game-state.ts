import type { Static } from 'typebox'
import { UpstreamError } from '../../core/upstream-error.js'
import type { Cached } from '../../lib/stale-fallback-cache.js'
import { type Game, gameStatusOf } from '../games/game.js'
import { presentMs, presentSubscribe } from '../games/present.js'
import type { SportsTools } from '../sources.js'
import { PRICED_TOKENS_MAX, tokensOf } from './game-tokens.js'
import type { GameHistoryQuery } from './history-span.js'
import { isAnyStale, isFromFallback, presentScore, presentStateMarket } from './present.js'
import { type GameHistory, readGameHistory } from './read-histories.js'
import { readQuotes } from './read-quotes.js'
import type { GameStateReply } from './schemas.js'
import { currentScoreOf } from './score.js'

export type StateOptions = {
  /** More than 200 counts as 200. */
  priceLimitTokens: number
  /** Absent: without histories. */
  history?: GameHistoryQuery | undefined
}

/**
 * Everything about a game at this moment. Whatever the number of its tokens, the upstreams are called
 * in one round, or not at all while the cached answers are fresh. Throws 400 for a bad time of histories.
 */
export async function readGameState(
  tools: SportsTools & { baseUrl: string },
  game: Cached<Game>,
  { priceLimitTokens, history: historyQuery }: StateOptions,
): Promise<Static<typeof GameStateReply>> {
  const { platform, deps, baseUrl } = tools
  const [quotes, history] = await Promise.all([
    readQuotes(tools, game),
    historyQuery === undefined ? undefined : readHistoryOrNone(tools, game.value, historyQuery),
  ])
  const { slug, title, startTimeMs, closed, markets } = game.value
  const score = currentScoreOf(game, deps.scores.get(slug), platform.clock.now())
  const tokens = tokensOf(game.value)
  const shown = tokens.slice(0, Math.min(priceLimitTokens, PRICED_TOKENS_MAX))
  const shownIds = new Set(shown.map(({ tokenId }) => tokenId))
  return {
    slug,
    title,
    status: gameStatusOf({ closed, ended: score.ended, live: score.live }),
    startTime: presentMs(startTimeMs),
    source: {
      metadata: 'polymarket_gamma',
      prices: quotes.value.source,
      history: history === undefined ? null : 'polymarket_clob',
      score: score.provider,
    },
    fallback: isFromFallback(quotes.value),
    stale: isAnyStale([game, quotes, history]),
    score: presentScore(score),
    total_tokens: tokens.length,
    truncated: shown.length < tokens.length,
    markets: markets.map((market) => presentStateMarket(market, shownIds, quotes.value)),
    history: history?.tokens ?? null,
    subscribe: presentSubscribe([...shownIds], baseUrl),
  }
}

/** A state is worth having without the past. */
async function readHistoryOrNone(
  tools: SportsTools,
  game: Game,
  query: GameHistoryQuery,
): Promise<GameHistory | undefined> {
  try {
    return await readGameHistory(tools, game, query)
  } catch (error) {
    if (error instanceof UpstreamError) return undefined
    throw error
  }
}
