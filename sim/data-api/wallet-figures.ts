import { toAmount } from '../markets/amounts.js'
import { isBet } from '../markets/names.js'
import type { Wallet } from '../universe/wallet.js'
import type { Api } from './context.js'
import { Marks } from './marks.js'
import { measurePosition, type PositionFigures } from './position-row.js'
import { isWithin, type Span } from './query.js'
import type { Scope } from './scope.js'
import { fillsOf } from './steps.js'

/** The positions that a wallet has or had. Combos have lists of their own. */
export function measurePositions(api: Api, wallet: Wallet, scope: Scope): PositionFigures[] {
  const { universe, portfolios } = api
  const marks = new Marks(universe, universe.nowMs)
  return [...portfolios.of(wallet).holdings]
    .filter(([token]) => !isBet(token.of) && scope.covers(token.of))
    .flatMap(([token, holding]) => measurePosition(universe, wallet, token, holding, marks) ?? [])
}

/** What the shares of a wallet are worth now, in dollars. */
export function measureValue(api: Api, wallet: Wallet, scope: Scope): number {
  const { universe, portfolios } = api
  const marks = new Marks(universe, universe.nowMs)
  let micros = 0
  for (const token of portfolios.of(wallet).holdings.keys()) {
    const balance = scope.covers(token.of) ? universe.settledActs.balance(wallet, token) : 0
    if (balance > 0) micros += Math.round(balance * marks.of(token))
  }
  return toAmount(micros)
}

/** In how many markets the wallet traded. */
export function countMarkets({ universe }: Api, wallet: Wallet): number {
  const acts = universe.settledActs.ofWallet(wallet).map(({ tx }) => tx.act)
  return new Set(acts.flatMap((act) => (act.kind === 'match' ? [act.of] : []))).size
}

/** What the orders of a wallet traded, as maker and as taker, in shares and dollars, and in how many fills. */
export function measureVolume(
  { universe }: Api,
  wallet: Wallet,
  span: Span,
): { shares: number; usd: number; trades: number } {
  let shares = 0
  let usd = 0
  let trades = 0
  for (const { tx, block } of universe.settledActs.ofWallet(wallet)) {
    if (tx.act.kind !== 'match' || !isWithin(span, block.timestampSec)) continue
    for (const fill of fillsOf(tx.act, wallet)) {
      shares += fill.shares
      usd += fill.usd
      trades += 1
    }
  }
  return { shares: toAmount(shares), usd: toAmount(usd), trades }
}
