import type { ActOf, RedeemCombo } from '../universe/acts.js'
import { payoutOf } from '../universe/outcomes.js'
import { ADDRESS, WORD } from './addresses.js'
import { autoRedemption } from './events/auto-redeemer.js'
import { movePusd } from './events/erc20.js'
import { transferSingle } from './events/erc1155.js'
import { combinatorialConditionPrepared, positionRedeemed, routerPositionRedeemed } from './events/modules.js'
import type { LogBody } from './log.js'
import { sortLegs } from './structured-ids.js'
import { type Word, word, ZERO_WORD } from './words.js'

export function encodePrepareCombo({ combo }: ActOf<'prepareCombo'>): LogBody[] {
  return [combinatorialConditionPrepared(combo.conditionId, legWords(combo))]
}

export function encodeRedeemCombo(act: RedeemCombo): LogBody[] {
  const { wallet, token, amount, payouts } = act
  const payout = payoutOf(amount, payouts, token.outcome)
  if (act.route === 'router') {
    return [
      ...redeemPosition(act, WORD.router, wallet.word, payout),
      routerPositionRedeemed(wallet.word, token.word, amount),
    ]
  }
  return [
    ...redeemPosition(act, WORD.autoRedeemer, WORD.autoRedeemer, payout),
    ...(payout > 0 ? [movePusd(WORD.autoRedeemer, wallet.word, payout)] : []),
    autoRedemption({ from: wallet.word, id: `0x${token.word}`, payout }),
  ]
}

/** The first byte of a structured id says which module it belongs to. */
export function moduleOf(token: Word): 'binaryModule' | 'combinatorialModule' {
  return token.startsWith('01') ? 'binaryModule' : 'combinatorialModule'
}

export function legWords({ legs }: ActOf<'prepareCombo'>['combo']): Word[] {
  return sortLegs(legs.map((leg) => leg.positionId)).map(word)
}

/** The module mints the pUSD that it pays. */
function redeemPosition(
  { wallet, token, amount }: RedeemCombo,
  initiator: Word,
  recipient: Word,
  payout: number,
): LogBody[] {
  const contract = ADDRESS.positionManager
  const module = moduleOf(token.word)
  const moduleWord = WORD[module]
  return [
    transferSingle(contract, initiator, wallet.word, moduleWord, token.word, amount),
    ...(payout > 0 ? [movePusd(ZERO_WORD, recipient, payout)] : []),
    transferSingle(contract, moduleWord, moduleWord, ZERO_WORD, token.word, amount),
    positionRedeemed(ADDRESS[module], initiator, token.word, recipient, amount, payout),
  ]
}
