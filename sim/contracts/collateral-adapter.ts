import type { Market, Payouts } from '../universe/market.js'
import { WORD } from './addresses.js'
import { unwrap, wrap } from './collateral.js'
import { movePusd, moveUsdce } from './events/erc20.js'
import { moveManyShares } from './events/erc1155.js'
import type { LogBody } from './log.js'
import { payoutOfBoth } from './payouts.js'
import { type Amounts, merge, moveBoth, redeem, split, tokenWords } from './positions.js'
import type { Word } from './words.js'

// Traders hold pUSD while positions are backed by USDC.e. An adapter stands between: it takes the
// one, unwraps it, acts on the positions in its own name and hands on what it gets.

/** The adapter that an exchange V2 calls. */
export function exchangeAdapter(market: Market): Word {
  return market.event.negRisk ? WORD.negRiskExchangeAdapter : WORD.exchangeAdapter
}

/** The adapter that wallets call. */
export function userAdapter(market: Market): Word {
  return market.event.negRisk ? WORD.negRiskUserAdapter : WORD.userAdapter
}

export function splitThrough(
  adapter: Word,
  holder: Word,
  market: Market,
  amount: number,
): LogBody[] {
  return [
    movePusd(holder, WORD.pusd, amount),
    ...unwrap(adapter, adapter, amount),
    ...split(adapter, market, amount),
    moveBoth(adapter, adapter, holder, market, amount),
  ]
}

export function mergeThrough(
  adapter: Word,
  holder: Word,
  market: Market,
  amount: number,
): LogBody[] {
  return [
    moveBoth(adapter, holder, adapter, market, amount),
    ...merge(adapter, market, amount),
    ...wrapFrom(adapter, holder, amount),
  ]
}

export function redeemThrough(
  adapter: Word,
  holder: Word,
  market: Market,
  amounts: Amounts,
  payouts: Payouts,
): LogBody[] {
  return [
    moveManyShares(adapter, holder, adapter, tokenWords(market), amounts),
    ...redeem(adapter, market, amounts, payouts),
    ...wrapFrom(adapter, holder, payoutOfBoth(amounts, payouts)),
  ]
}

/** All that the adapter got becomes pUSD of the holder. */
export function wrapFrom(adapter: Word, holder: Word, amount: number): LogBody[] {
  return [moveUsdce(adapter, WORD.pusd, amount), ...wrap(adapter, holder, amount)]
}
