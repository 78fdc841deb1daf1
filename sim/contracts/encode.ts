import type { Act, Match } from '../universe/acts.js'
import { encodeDeposit, encodeWithdraw } from './collateral.js'
import {
  encodePrepareCombo,
  encodeRedeemCombo,
  encodeRegisterLeg,
  encodeResolveLeg,
} from './combos.js'
import { encodeConvert } from './conversions.js'
import type { LogBody } from './log.js'
import { encodeMatchCombo } from './match-combo.js'
import { encodeMatchV1 } from './match-v1.js'
import { encodeMatchV2 } from './match-v2.js'
import {
  encodeDispute,
  encodePrepareEvent,
  encodePrepareMarket,
  encodePropose,
  encodeResolve,
} from './oracle.js'
import { encodeRedeem } from './redemptions.js'
import { encodeMerge, encodeSplit } from './splits.js'
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
