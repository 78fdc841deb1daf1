import type { ActOf } from '../universe/acts.js'
import type { Market, Payouts } from '../universe/market.js'
import { payoutOfBoth } from '../universe/outcomes.js'
import { WORD } from './addresses.js'
import { movePusd, moveUsdce, pullUsdce, unwrapped, wrapped } from './events/erc20.js'
import { moveManyShares } from './events/erc1155.js'
import type { LogBody } from './log.js'
import { type Amounts, merge, moveBoth, redeem, split, tokenWords } from './positions.js'
import { addressWord, type Word, ZERO_WORD } from './words.js'

/** The key of the wallet brings USDC.e from outside. */
export function encodeDeposit({ wallet, amount }: ActOf<'deposit'>): LogBody[] {
  return [
    ...pullUsdce(addressWord(wallet.owner), WORD.pusd, WORD.onramp, amount),
    ...wrap(WORD.onramp, wallet.word, amount),
  ]
}

export function encodeWithdraw({ wallet, amount }: ActOf<'withdraw'>): LogBody[] {
  return [
    movePusd(wallet.word, WORD.pusd, amount),
    ...unwrap(WORD.offramp, addressWord(wallet.owner), amount),
  ]
}

/** USDC.e that the pUSD contract already holds becomes pUSD of `to`; the vault keeps it. */
export function wrap(caller: Word, to: Word, amount: number): LogBody[] {
  return [
    movePusd(ZERO_WORD, to, amount),
    moveUsdce(WORD.pusd, WORD.pusdVault, amount),
    wrapped(caller, to, amount),
  ]
}

/** pUSD that the pUSD contract already holds is burnt; `to` gets USDC.e from the vault. */
export function unwrap(caller: Word, to: Word, amount: number): LogBody[] {
  return [
    ...pullUsdce(WORD.pusdVault, to, WORD.pusd, amount),
    movePusd(WORD.pusd, ZERO_WORD, amount),
    unwrapped(caller, to, amount),
  ]
}

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

export function splitThrough(adapter: Word, holder: Word, market: Market, amount: number): LogBody[] {
  return [
    movePusd(holder, WORD.pusd, amount),
    ...unwrap(adapter, adapter, amount),
    ...split(adapter, market, amount),
    moveBoth(adapter, adapter, holder, market, amount),
  ]
}

export function mergeThrough(adapter: Word, holder: Word, market: Market, amount: number): LogBody[] {
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
