import type { Cached } from '../../lib/stale-fallback-cache.js'
import type { ClobPricePoint } from '../../upstreams/clob/parse.js'
import { withUpstreamTimeout } from '../../upstreams/transport/upstream-timeout.js'
import type { Game } from '../games/game.js'
import type { SportsTools } from '../sources.js'
import { HISTORY_TOKENS_MAX, tokensOf } from './game-tokens.js'
import { type GameHistoryQuery, type HistorySpan, readHistorySpan } from './history-span.js'
import { presentTokenHistory } from './present.js'

/** Answers are repeated for as long again. */
export const HISTORY_MS = 30_000
const TIMEOUT_MS = 5_000

/** By token, oldest first; tokens without a history are absent. */
type Histories = Record<string, ClobPricePoint[]>

export type GameHistory = {
  tokens: ReturnType<typeof presentTokenHistory>[]
  isStale: boolean
}

/** Throws 400 for a bad time, and an `UpstreamError` when there is neither an answer nor a cached. */
export async function readGameHistory(
  tools: SportsTools,
  game: Game,
  { limit_tokens, ...query }: GameHistoryQuery,
): Promise<GameHistory> {
  const nowMs = tools.platform.clock.now()
  const span = readHistorySpan(query, { listedMs: game.startDateMs, nowMs })
  const tokens = tokensOf(game).slice(0, HISTORY_TOKENS_MAX)
  const ids = tokens.map(({ tokenId }) => tokenId)
  const isEmpty = span === undefined || ids.length === 0
  const { value, isStale } = isEmpty
    ? { value: {}, isStale: false }
    : await readHistories(tools, game.slug, ids, span)
  const histories: Histories = value
  return {
    tokens: tokens
      .slice(0, limit_tokens)
      .map((token) => presentTokenHistory(token, histories[token.tokenId])),
    isStale,
  }
}

/** Only the usual spans are cached: callers can request any number of others. */
async function readHistories(
  { deps, caller: { accountId } }: SportsTools,
  slug: string,
  tokenIds: readonly string[],
  { span, isUsual }: HistorySpan,
): Promise<Pick<Cached<Histories>, 'value' | 'isStale'>> {
  const { clob } = deps.upstreams
  const read = async (signal: AbortSignal): Promise<Histories> =>
    Object.fromEntries(await clob.getBatchPriceHistory(tokenIds, span, { signal, accountId }))
  const load = () => withUpstreamTimeout('clob', read, TIMEOUT_MS)
  if (!isUsual || !('interval' in span)) return { value: await load(), isStale: false }
  const key = `sports history ${slug} ${span.interval}`
  const cached = await deps.fallbackCache.get(key, {
    freshMs: HISTORY_MS,
    accountId,
    load: async () => ({ asked: [...tokenIds], byToken: await load() }),
  })
  const { asked: cachedIds, byToken } = cached.value
  // The order of markets changes: a token may not have been among the first ones when the answer was cached.
  const isWhole = tokenIds.every((tokenId) => cachedIds.includes(tokenId))
  if (isWhole || cached.isStale) return { value: byToken, isStale: cached.isStale }
  return { value: await load(), isStale: false }
}
