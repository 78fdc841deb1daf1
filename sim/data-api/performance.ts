import type { Combo, Market } from '../universe/market.js'
import type { Marks } from './marks.js'
import type { Portfolio } from './portfolio.js'

/** Micro-dollars and micro-shares. */
type Performance = { pnl: number; tradedUsd: number; tradedShares: number }

/** What a wallet has traded and made in some markets, and would make at these prices. */
export function measurePerformance(
  portfolio: Portfolio,
  marks: Marks,
  counts: (of: Market | Combo) => boolean,
): Performance {
  const sum = { pnl: measureUnrealized(portfolio, marks, counts), tradedUsd: 0, tradedShares: 0 }
  for (const [token, { position, tradedUsd, tradedShares }] of portfolio.holdings) {
    if (!counts(token.of)) continue
    sum.pnl += Number(position.realizedPnl)
    sum.tradedUsd += tradedUsd
    sum.tradedShares += tradedShares
  }
  return sum
}

/** What the shares that are left would bring beyond their cost, in micro-dollars. */
export function measureUnrealized(
  { open }: Portfolio,
  marks: Marks,
  counts: (of: Market | Combo) => boolean = () => true,
): number {
  let sum = 0
  for (const [token, { position }] of open) {
    if (!counts(token.of)) continue
    const gain = marks.of(token) - Number(position.avgPrice) / 1e6
    sum += Math.round(Number(position.amount) * gain)
  }
  return sum
}
