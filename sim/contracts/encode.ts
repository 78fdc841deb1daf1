import type { Act, ActOf, Match, Redeem } from '../universe/acts.js'
import { payoutOfBoth } from '../universe/outcomes.js'
import { WORD } from './addresses.js'
import {
  encodeDeposit,
  encodeWithdraw,
  mergeThrough,
  redeemThrough,
  splitThrough,
  userAdapter,
  wrap,
} from './collateral.js'
import { encodePrepareCombo, encodeRedeemCombo } from './combos.js'
import { encodeConvert } from './conversions.js'
import { autoBinaryRedemption, autoNegRiskRedemption } from './events/auto-redeemer.js'
import { pullUsdce } from './events/erc20.js'
import { moveManyShares } from './events/erc1155.js'
import type { LogBody } from './log.js'
import { encodeMatchCombo } from './match-combo.js'
import { encodeMatchV1 } from './match-v1.js'
import { encodeMatchV2 } from './match-v2.js'
import { encodeMigrate, encodeRegisterLeg, encodeResolveLeg } from './migrations.js'
import {
  encodeDispute,
  encodePrepareEvent,
  encodePrepareMarket,
  encodePropose,
  encodeResolve,
} from './oracle.js'
import { merge, redeem, split, tokenWords } from './positions.js'
import { encodeCreateWallet, encodeTransfer } from './wallets.js'

/** The logs of the transaction that does the act, in their order. */
export function encodeAct(act: Act): LogBody[] {
  switch (act.kind) {
    case 'match':
      return encodeMatch(act)
    case 'createWallet':
      return encodeCreateWallet(act)
    case 'deposit':
      return encodeDeposit(act)
    case 'withdraw':
      return encodeWithdraw(act)
    case 'split':
      return encodeSplit(act)
    case 'merge':
      return encodeMerge(act)
    case 'redeem':
      return encodeRedeem(act)
    case 'convert':
      return encodeConvert(act)
    case 'transfer':
      return encodeTransfer(act)
    case 'prepareMarket':
      return encodePrepareMarket(act)
    case 'prepareEvent':
      return encodePrepareEvent(act)
    case 'propose':
      return encodePropose(act)
    case 'dispute':
      return encodeDispute(act)
    case 'resolve':
      return encodeResolve(act)
    case 'registerLeg':
      return encodeRegisterLeg(act)
    case 'resolveLeg':
      return encodeResolveLeg(act)
    case 'prepareCombo':
      return encodePrepareCombo(act)
    case 'redeemCombo':
      return encodeRedeemCombo(act)
    case 'migrate':
      return encodeMigrate(act)
  }
}

function encodeMatch(match: Match): LogBody[] {
  switch (match.exchange) {
    case 'v1':
    case 'v1NegRisk':
      return encodeMatchV1(match)
    case 'v2':
    case 'v2NegRisk':
      return encodeMatchV2(match)
    case 'v3':
      return encodeMatchCombo(match)
  }
}

function encodeSplit({ era, wallet, market, amount }: ActOf<'split'>): LogBody[] {
  return era === 'v1'
    ? split(wallet.word, market, amount)
    : splitThrough(userAdapter(market), wallet.word, market, amount)
}

function encodeMerge({ era, wallet, market, amount }: ActOf<'merge'>): LogBody[] {
  return era === 'v1'
    ? merge(wallet.word, market, amount)
    : mergeThrough(userAdapter(market), wallet.word, market, amount)
}

function encodeRedeem(act: Redeem): LogBody[] {
  const { wallet, market, amounts, payouts } = act
  switch (act.route) {
    case 'direct':
      return redeem(wallet.word, market, amounts, payouts)
    case 'adapter':
      return redeemThrough(userAdapter(market), wallet.word, market, amounts, payouts)
    case 'auto':
      return redeemFor(act)
  }
}

/** The AutoRedeemer takes the shares, redeems them itself and wraps the money for the wallet. */
function redeemFor({ wallet, market, amounts, payouts }: Redeem): LogBody[] {
  const redeemer = WORD.autoRedeemer
  const payout = payoutOfBoth(amounts, payouts)
  const redeemed = market.event.negRisk ? autoNegRiskRedemption : autoBinaryRedemption
  return [
    moveManyShares(redeemer, wallet.word, redeemer, tokenWords(market), amounts),
    ...redeem(redeemer, market, amounts, payouts),
    ...(payout > 0 ? pullUsdce(redeemer, WORD.pusd, WORD.onramp, payout) : []),
    ...(payout > 0 ? wrap(WORD.onramp, wallet.word, payout) : []),
    redeemed({ from: wallet.word, id: market.conditionId, payout }),
  ]
}
