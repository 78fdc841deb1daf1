import { toAmount } from '../markets/amounts.js'
import { profileOf } from '../markets/names.js'
import type { Combo, Market, Token } from '../universe/market.js'
import { worthOf } from '../universe/outcomes.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import type { Api } from './context.js'
import type { Marks } from './marks.js'
import { measurePosition, type PositionFigures } from './position-row.js'

type EventVolume = { total: number; markets: { market: Market; value: number }[] }

/** What was traded in an event, in dollars. An unknown event has no markets. */
export function measureEventVolume(universe: Universe, eventId: string): EventVolume {
  const volumes = (universe.catalogue.eventById(eventId)?.markets ?? []).map((market) => ({
    market,
    volume: universe.settledActs.volume(market),
  }))
  return {
    total: toAmount(volumes.reduce((sum, { volume }) => sum + volume, 0)),
    markets: volumes.map(({ market, volume }) => ({ market, value: toAmount(volume) })),
  }
}

/** What takers traded, in shares. */
export function measureTakerShares(universe: Universe, markets: readonly Market[]): number {
  let micros = 0
  for (const market of markets) {
    for (const { tx } of universe.settledActs.ofMarket(market)) micros += tx.act.taker.shares
  }
  return toAmount(micros)
}

export function measureTotalInterest(universe: Universe): number {
  const markets = universe.catalogue.events().flatMap((event) => event.markets)
  return measureOpenInterest(universe, markets)
}

/** What the shares that people hold can claim, in dollars: one for each set, and after the result what it pays. */
export function measureOpenInterest(universe: Universe, markets: readonly Market[]): number {
  const micros = markets.reduce((sum, market) => sum + claimsOf(universe, market), 0)
  return toAmount(Math.round(micros))
}

function claimsOf(universe: Universe, market: Market): number {
  const { settledActs } = universe
  const payouts = universe.payouts(market)
  if (payouts === undefined) return settledActs.outstanding(market, 0)
  return (
    settledActs.outstanding(market, 0) * worthOf(payouts, 0) +
    settledActs.outstanding(market, 1) * worthOf(payouts, 1)
  )
}

/** Who holds most of a token. */
export function listHolders(universe: Universe, token: Token, limit: number, amountMin: number) {
  return [...universe.settledActs.holders(token)]
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
export function positionsIn(api: Api, market: Market | Combo, marks: Marks): PositionFigures[] {
  return [...participantsOf(api.universe, market)].flatMap((wallet) =>
    market.tokens.flatMap((token) => {
      const holding = api.portfolios.of(wallet).holdings.get(token)
      if (holding === undefined) return []
      return measurePosition(api.universe, wallet, token, holding, marks) ?? []
    }),
  )
}

/** Traders of the market and those who hold shares without having traded. */
function participantsOf({ settledActs }: Universe, market: Market | Combo): Set<Wallet> {
  const wallets = new Set<Wallet>(market.tokens.flatMap((token) => [...settledActs.holders(token).keys()]))
  for (const { tx } of settledActs.ofMarket(market)) {
    if (tx.act.kind !== 'match') continue
    for (const { order } of [tx.act.taker, ...tx.act.makers]) wallets.add(order.wallet)
  }
  return wallets
}
