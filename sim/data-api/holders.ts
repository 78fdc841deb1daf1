import { toAmount } from '../markets/amounts.js'
import { profileOf } from '../markets/names.js'
import type { Market, Token } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import type { Api } from './context.js'
import type { Marks } from './marks.js'
import { measurePosition, type PositionFigures } from './position-row.js'

/** Who holds most of a token. */
export function listHolders(universe: Universe, token: Token, limit: number, amountMin: number) {
  return [...universe.tape.holders(token)]
    .filter(([, amount]) => amount > 0 && toAmount(amount) >= amountMin)
    .sort(([a, amountA], [b, amountB]) => amountB - amountA || a.index - b.index)
    .slice(0, limit)
    .map(([wallet, amount]) => ({
      proxyWallet: wallet.address,
      ...profileOf(wallet),
      asset: token.decimal,
      amount: toAmount(amount),
      displayUsernamePublic: wallet.name !== '',
      outcomeIndex: token.outcome,
      verified: wallet.verified,
    }))
}

/** The positions that wallets have or had in a market. */
export function positionsIn(api: Api, market: Market, marks: Marks): PositionFigures[] {
  return [...participantsOf(api.universe, market)].flatMap((wallet) =>
    market.tokens.flatMap((token) => {
      const holding = api.portfolios.of(wallet).holdings.get(token)
      return holding === undefined
        ? []
        : [measurePosition(api.universe, wallet, token, holding, marks)]
    }),
  )
}

/** Traders of the market and those who hold shares without having traded. */
function participantsOf({ tape }: Universe, market: Market): Set<Wallet> {
  const wallets = new Set<Wallet>(market.tokens.flatMap((token) => [...tape.holders(token).keys()]))
  for (const { tx } of tape.ofMarket(market)) {
    if (tx.act.kind !== 'match') continue
    for (const { order } of [tx.act.taker, ...tx.act.makers]) wallets.add(order.wallet)
  }
  return wallets
}
