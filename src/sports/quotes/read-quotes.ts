import { UpstreamError } from '../../core/upstream-error.js'
import type { Cached } from '../../lib/stale-fallback-cache.js'
import type { CallOptions } from '../../upstreams/transport/http.js'
import { withUpstreamTimeout } from '../../upstreams/transport/upstream-timeout.js'
import type { Game } from '../games/game.js'
import type { SportsTools } from '../sources.js'
import { type GameToken, PRICED_TOKENS_MAX, tokensOf } from './game-tokens.js'
import { NO_QUOTE, quoteOfBook, quoteOfClob, quoteOfGamma, type TokenQuote } from './quote.js'

/** Answers are repeated for a second more, so that no price is older than five seconds. */
const QUOTES_MS = 4_000
/** After this time without an answer of the exchange Gamma's prices are used; they come before stale cached ones. */
const TIMEOUT_MS = 2_000

/** By token; tokens without a book are absent. `source`: who gave the prices. */
export type GameQuotes = {
  source: 'polymarket_clob' | 'polymarket_gamma'
  byToken: Record<string, TokenQuote>
}

/**
 * The prices of a game's tokens, as far as they are known. While the exchange does not answer, those
 * that Gamma shows with the markets are used; while Gamma does not answer either, stale cached ones.
 */
export async function readQuotes(tools: SportsTools, game: Cached<Game>): Promise<Cached<GameQuotes>> {
  const { deps, caller } = tools
  const tokens = tokensOf(game.value).slice(0, PRICED_TOKENS_MAX).filter(isOpen)
  try {
    return await deps.fallbackCache.get(`sports prices ${game.value.slug}`, {
      freshMs: QUOTES_MS,
      accountId: caller.accountId,
      load: async () => {
        try {
          return await readFromExchange(tools, tokens)
        } catch (error) {
          if (game.isStale || !(error instanceof UpstreamError)) throw error
          return takeFromGamma(tokens)
        }
      },
    })
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    return { ...game, value: takeFromGamma(tokens) }
  }
}

/** A market that is resolved has no book. */
const isOpen = ({ market }: GameToken): boolean => !market.closed

/** Live books where this process follows them already; for all others one round of calls. */
async function readFromExchange({ deps, caller }: SportsTools, tokens: readonly GameToken[]) {
  const quotes = new Map<string, TokenQuote>()
  for (const { tokenId } of tokens) {
    const book = deps.books.get(tokenId)
    if (book?.state === 'live') quotes.set(tokenId, quoteOfBook(book))
  }
  const others = tokens.map(({ tokenId }) => tokenId).filter((tokenId) => !quotes.has(tokenId))
  if (others.length > 0) {
    const { clob } = deps.upstreams
    const read = (call: CallOptions) =>
      Promise.all([
        clob.getPrices(others, call),
        clob.getMidpoints(others, call),
        clob.getSpreads(others, call),
      ])
    const { accountId } = caller
    const [prices, midpoints, spreads] = await withUpstreamTimeout(
      'clob',
      (signal) => read({ signal, accountId }),
      TIMEOUT_MS,
    )
    for (const tokenId of others) {
      const answers = {
        prices: prices.get(tokenId),
        midpoint: midpoints.get(tokenId),
        spread: spreads.get(tokenId),
      }
      quotes.set(tokenId, quoteOfClob(answers))
    }
  }
  return toQuotes('polymarket_clob', quotes)
}

const takeFromGamma = (tokens: readonly GameToken[]): GameQuotes =>
  toQuotes(
    'polymarket_gamma',
    tokens.map(({ tokenId, market, outcomeIndex }) => [tokenId, quoteOfGamma(market, outcomeIndex)]),
  )

const toQuotes = (
  source: GameQuotes['source'],
  quotes: Iterable<[tokenId: string, quote: TokenQuote]>,
): GameQuotes => ({
  source,
  byToken: Object.fromEntries([...quotes].filter(([, quote]) => quote !== NO_QUOTE)),
})
