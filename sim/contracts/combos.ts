import type { ActOf, RedeemCombo } from '../universe/acts.js'
import type { Payouts } from '../universe/market.js'
import { payoutOf } from '../universe/outcomes.js'
import { ADDRESS, WORD } from './addresses.js'
import { autoRedemption } from './events/auto-redeemer.js'
import { movePusd } from './events/erc20.js'
import { transferSingle } from './events/erc1155.js'
import {
  combinatorialConditionPrepared,
  conditionResolved,
  migrationConditionRegistered,
  migrationResolved,
  positionRedeemed,
  routerPositionRedeemed,
} from './events/modules.js'
import type { LogBody } from './log.js'
import { binaryConditionOf, sortLegs } from './structured-ids.js'
import { type Word, word, ZERO_WORD } from './words.js'

const MODULE = WORD.combinatorialModule
const RESULT_TOTAL = 1_000_000

export function encodePrepareCombo({ combo }: ActOf<'prepareCombo'>): LogBody[] {
  return [combinatorialConditionPrepared(combo.conditionId, legWords(combo))]
}

/** Before a market can be a leg, the module learns which of its conditions stands for it. */
export function encodeRegisterLeg({ market }: ActOf<'registerLeg'>): LogBody[] {
  const { conditionId } = market
  return [migrationConditionRegistered(binaryConditionOf(conditionId), conditionId)]
}

/** A combo has no result of its own: it pays by those of its legs. */
export function encodeResolveLeg({ market, payouts }: ActOf<'resolveLeg'>): LogBody[] {
  const { conditionId } = market
  const structured = binaryConditionOf(conditionId)
  const result = resultOf(payouts)
  return [
    migrationResolved(structured, conditionId, payouts, result),
    conditionResolved(structured, result),
  ]
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

export function legWords({ legs }: ActOf<'prepareCombo'>['combo']): Word[] {
  return sortLegs(legs.map((leg) => leg.positionId)).map(word)
}

/** Payouts as the module counts them: out of a million. */
function resultOf(payouts: Payouts): [number, number] {
  const first = Math.floor((payouts[0] * RESULT_TOTAL) / (payouts[0] + payouts[1]))
  return [first, RESULT_TOTAL - first]
}

/** The module mints the pUSD that it pays. */
function redeemPosition(
  { wallet, token, amount }: RedeemCombo,
  initiator: Word,
  recipient: Word,
  payout: number,
): LogBody[] {
  const contract = ADDRESS.positionManager
  return [
    transferSingle(contract, initiator, wallet.word, MODULE, token.word, amount),
    ...(payout > 0 ? [movePusd(ZERO_WORD, recipient, payout)] : []),
    transferSingle(contract, MODULE, MODULE, ZERO_WORD, token.word, amount),
    positionRedeemed(initiator, token.word, recipient, amount, payout),
  ]
}
