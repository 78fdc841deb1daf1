import type { Combo, Market } from '../universe/market.js'
import type { Marks } from './marks.js'
import type { Portfolio } from './portfolio.js'

/** Micro-dollars and micro-shares. */
export type Performance = {
  realizedMarket: number
  realizedCombo: number
  unrealized: number
  tradedUsd: number
  tradedShares: number
}

/** What a wallet has traded and made, and would make at these prices. */
export function measurePerformance(
  portfolio: Portfolio,
  marks: Marks,
  counts: (of: Market | Combo) => boolean = () => true,
): Performance {
  const sum = { realizedMarket: 0, realizedCombo: 0, unrealized: 0, tradedUsd: 0, tradedShares: 0 }
  for (const [token, { position, tradedUsd, tradedShares }] of portfolio.holdings) {
    if (!counts(token.of)) continue
    sum[token.of.kind === 'combo' ? 'realizedCombo' : 'realizedMarket'] += Number(
      position.realizedPnl,
    )
    sum.tradedUsd += tradedUsd
    sum.tradedShares += tradedShares
    if (position.amount > 0n) {
      const gain = marks.of(token) - Number(position.avgPrice) / 1e6
      sum.unrealized += Math.round(Number(position.amount) * gain)
    }
  }
  return sum
}

export const totalPnl = ({ realizedMarket, realizedCombo, unrealized }: Performance): number =>
  realizedMarket + realizedCombo + unrealized
