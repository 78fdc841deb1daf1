import type { Game, GameMarket } from '../games/game.js'

/** Answers have prices and histories of at most this many tokens of a game. */
export const PRICED_TOKENS_MAX = 200
export const HISTORY_TOKENS_MAX = 20

/** A token of a game with the market that it is an outcome of. */
export type GameToken = {
  tokenId: string
  outcome: string
  outcomeIndex: number
  market: GameMarket
}

/** All tokens, in the order of the markets. */
export const tokensOf = ({ markets }: Game): GameToken[] =>
  markets.flatMap((market) =>
    market.tokens.map(({ tokenId, outcome }, outcomeIndex) => ({ tokenId, outcome, outcomeIndex, market })),
  )
