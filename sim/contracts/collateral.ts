import type { ActOf } from '../universe/acts.js'
import { WORD } from './addresses.js'
import { movePusd, moveUsdce, pullUsdce, unwrapped, wrapped } from './events/erc20.js'
import type { LogBody } from './log.js'
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
