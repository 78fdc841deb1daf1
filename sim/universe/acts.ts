import type { Combo, Market, MarketEvent, Payouts, Token } from './market.js'
import type { Wallet } from './wallet.js'

/** Amounts of money and of shares are whole millionths: integers, and far below 2^53. */
export type Micros = number

export type Side = 'BUY' | 'SELL'

export type ExchangeName = 'v1' | 'v1NegRisk' | 'v2' | 'v2NegRisk' | 'v3'

export const isV1 = (exchange: ExchangeName): boolean => exchange === 'v1' || exchange === 'v1NegRisk'

/** A signed order. A resting one may be filled many times, always under the same hash. */
export type Order = {
  exchange: ExchangeName
  salt: number
  wallet: Wallet
  token: Token
  side: Side
  makerAmount: Micros
  takerAmount: Micros
  /** V1 alone: the fee in basis points that the order allows. */
  feeRateBps: number
  createdMs: number
}

/**
 * One order's part in a match. On V1 the fee of a BUY is in shares, everywhere else in money; `refund`
 * is what the fee module of V1 gives back of it in the same transaction.
 */
export type Fill = { order: Order; shares: Micros; usd: Micros; fee: Micros; refund: Micros }

/** One taker order against resting ones; each pair trades, mints or merges by its tokens and sides. */
export type Match = {
  kind: 'match'
  exchange: ExchangeName
  of: Market | Combo
  taker: Fill
  makers: readonly Fill[]
  /** When the operator paired them: about three seconds before the block. */
  matchedMs: number
}

/** Which collateral a position act pays in: the money of its era. */
export type Era = 'v1' | 'v2'

/** Everything that happens on the chain. Each is one transaction, and its logs follow from it alone. */
export type Act =
  | Match
  | { kind: 'createWallet'; wallet: Wallet }
  | { kind: 'deposit'; wallet: Wallet; amount: Micros }
  | { kind: 'withdraw'; wallet: Wallet; amount: Micros }
  | { kind: 'split'; era: Era; wallet: Wallet; market: Market; amount: Micros }
  | { kind: 'merge'; era: Era; wallet: Wallet; market: Market; amount: Micros }
  | Redeem
  | Convert
  | Transfer
  | { kind: 'prepareMarket'; era: Era; market: Market; askedSec: number }
  | { kind: 'prepareEvent'; event: MarketEvent }
  | Propose
  | (Omit<Propose, 'kind'> & { kind: 'dispute'; disputer: string })
  | Resolve
  | { kind: 'registerLeg'; market: Market }
  | ResolveLeg
  | { kind: 'prepareCombo'; combo: Combo }
  | RedeemCombo
  | Migrate

/** What the oracle says: 0 is outcome 1, half is a draw, 1 is outcome 0. */
export type OraclePrice = 0 | 0.5 | 1

/**
 * Shares of a resolved market for money. `direct`: the wallet asks the contracts itself (on neg-risk
 * the neg-risk adapter). `adapter`: through the collateral adapter, which pays pUSD. `auto`: the
 * AutoRedeemer does it for the wallet.
 */
export type Redeem = {
  kind: 'redeem'
  route: 'direct' | 'adapter' | 'auto'
  wallet: Wallet
  market: Market
  amounts: readonly [Micros, Micros]
  payouts: Payouts
}

/**
 * NO shares of the questions in `indexSet` for YES of all others, and money when they are several, both
 * less the fee of the event. `direct`: the wallet asks the neg-risk adapter itself. `adapter`: through
 * the collateral adapter, which pays pUSD.
 */
export type Convert = {
  kind: 'convert'
  route: 'direct' | 'adapter'
  wallet: Wallet
  event: MarketEvent
  /** Bit i: the NO of question i is given. */
  indexSet: number
  amount: Micros
}

/** A gift: shares of one token, or of several tokens of one contract at once. */
export type Transfer = {
  kind: 'transfer'
  from: Wallet
  to: Wallet
  shares: readonly { token: Token; amount: Micros }[]
}

/** An answer, which counts unless it is disputed in time. */
export type Propose = {
  kind: 'propose'
  market: Market
  price: OraclePrice
  proposer: string
  /** When the question was put to the oracle; a dispute has it put again. */
  askedSec: number
  atSec: number
}

export type Resolve = {
  kind: 'resolve'
  market: Market
  payouts: Payouts
  proposer: string
  askedSec: number
}

export type RedeemCombo = {
  kind: 'redeemCombo'
  route: 'router' | 'auto'
  wallet: Wallet
  token: Token
  amount: Micros
  payouts: Payouts
}

/** The module redeems the old shares that it still has: `parked`, by outcome. */
export type ResolveLeg = {
  kind: 'resolveLeg'
  market: Market
  payouts: Payouts
  parked: readonly [Micros, Micros]
}

/**
 * Shares of a market of the conditional tokens become structured positions; `combo` has that market as
 * its only leg. The module keeps the old shares, and turns those that make sets into money: `merged`.
 */
export type Migrate = {
  kind: 'migrate'
  wallet: Wallet
  combo: Combo
  /** By outcome. */
  amounts: readonly [Micros, Micros]
  merged: Micros
  /** The first of this market. */
  isFirst: boolean
}

export type ActOf<Kind extends Act['kind']> = Extract<Act, { kind: Kind }>
