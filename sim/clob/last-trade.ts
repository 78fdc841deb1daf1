import type { Side } from '../universe/acts.js'
import type { Token } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'

/** The last settled match of the market, seen from this token: its twin was traded at 1 − p. */
export function lastTrade(
  universe: Universe,
  token: Token,
): { priceE4: number; side: Side } | undefined {
  const settled = universe.tape.ofMarket(token.of).at(-1)
  if (settled === undefined) return undefined
  const { order, usd, shares } = settled.tx.act.taker
  const priceE4 = Math.round((usd * 10_000) / shares)
  if (order.token === token) return { priceE4, side: order.side }
  return { priceE4: 10_000 - priceE4, side: order.side === 'BUY' ? 'SELL' : 'BUY' }
}
