import type { Static } from 'typebox'
import { presentTeam } from '../leagues/present.js'
import { type Game, type GameMarket, gameStatusOf } from './game.js'
import type { GameMarketReply, GameReply, Subscribe } from './schemas.js'

/** `baseUrl`: where the client reaches this service. */
export const presentGame = (game: Game, baseUrl: string): Static<typeof GameReply> => ({
  id: game.id,
  slug: game.slug,
  title: game.title,
  status: gameStatusOf(game),
  startTime: presentMs(game.startTimeMs),
  startDate: presentMs(game.startDateMs),
  endDate: presentMs(game.endDateMs),
  eventDate: game.eventDate ?? null,
  closed: game.closed,
  active: game.active,
  gameId: toInteger(game.gameId) ?? null,
  score: game.score ?? null,
  period: game.period ?? null,
  elapsed: game.elapsed ?? null,
  live: game.live ?? null,
  ended: game.ended ?? null,
  ...(game.gameStatus !== undefined && { gameStatus: game.gameStatus }),
  volume: game.volume,
  volume24hr: game.volume24hr,
  liquidity: game.liquidity,
  teams: game.teams.map(presentTeam),
  ...(game.contextDescription !== undefined && {
    eventMetadata: { context_description: game.contextDescription },
  }),
  markets: game.markets.map((market) => presentGameMarket(market, baseUrl)),
})

export function presentGameMarket(market: GameMarket, baseUrl: string): Static<typeof GameMarketReply> {
  const { tokens } = market
  const tokenIds = tokens.map(({ tokenId }) => tokenId)
  const { ws, ...subscription } = presentSubscribe(tokenIds, baseUrl)
  const [first] = tokenIds
  return {
    id: market.id,
    question: market.question,
    slug: market.slug ?? null,
    conditionId: market.conditionId ?? null,
    sportsMarketType: market.sportsMarketType ?? null,
    groupItemTitle: market.groupItemTitle ?? null,
    line: market.line ?? null,
    outcomes: market.outcomes,
    outcomePrices: tokens.flatMap(({ price }) => price ?? []),
    clobTokenIds: tokenIds,
    gameStartTime: presentMs(market.gameStartTimeMs),
    secondsDelay: market.secondsDelay ?? null,
    clearBookOnStart: market.clearBookOnStart ?? null,
    endDate: presentMs(market.endDateMs),
    volume: market.volume,
    volume24hr: market.volume24hr,
    liquidity: market.liquidity,
    active: market.active,
    closed: market.closed,
    acceptingOrders: market.acceptingOrders,
    negRisk: market.negRisk,
    tickSize: market.tickSize ?? null,
    minOrderSize: market.minOrderSize ?? null,
    _links: {
      ws,
      ws_subscribe: subscription,
      orderbook_rest: first === undefined ? null : `${baseUrl}/v1/orderbook/${first}`,
    },
  }
}

/** What follows the books of these tokens on our own socket. */
export const presentSubscribe = (tokenIds: string[], baseUrl: string): Static<typeof Subscribe> => ({
  ws: `${baseUrl.replace(/^http/, 'ws')}/ws`,
  action: 'subscribe',
  type: 'orderbook',
  token_ids: tokenIds,
})

export const presentMs = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString().replace('.000Z', 'Z')

function toInteger(text: string | undefined): number | undefined {
  const number = Number(text)
  return text !== undefined && Number.isSafeInteger(number) ? number : undefined
}
