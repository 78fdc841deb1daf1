import assert from 'node:assert'
import type { Convert } from '../universe/acts.js'
import { conversionFee, questionsOf } from '../universe/outcomes.js'
import { WORD } from './addresses.js'
import { wrapFrom } from './collateral.js'
import { mintWcol, moveUsdce, moveWcol } from './events/erc20.js'
import { moveManyShares } from './events/erc1155.js'
import { positionsConverted } from './events/neg-risk.js'
import type { LogBody } from './log.js'
import { mintBoth } from './positions.js'
import type { Word } from './words.js'

/**
 * NO of k questions for YES of the n − k others and k − 1 dollars a share.
 *
 * The neg-risk adapter mints wrapped collateral from nothing and splits it on each of the n − k
 * conditions, so the conditional tokens stay fully backed in wrapped collateral: per condition,
 * splits − merges − payouts are what its outstanding shares can claim, parked ones included. In
 * USDC.e it lends (n − k) and pays out (k − 1) a share, n − 1 in all. It parks as many NO as there
 * are questions, n, at an address without a key; exactly one question comes true, so n − 1 of them
 * would have been redeemable, and that money stays. The adapter is even again.
 */
export function encodeConvert(act: Convert): LogBody[] {
  const user = act.wallet.word
  if (act.route === 'direct') return convert(act, user)
  const { amount } = act
  const { given, others } = questionsOf(act)
  const received = amount - conversionFee(act)
  const dollars = given.length - 1
  const converter = WORD.negRiskUserAdapter
  const noGiven = given.map((market) => market.tokens[1].word)
  const yesOthers = others.map((market) => market.tokens[0].word)
  return [
    moveAll(converter, user, converter, noGiven, amount),
    ...convert(act, converter),
    moveAll(converter, converter, user, yesOthers, received),
    ...(dollars > 0 ? wrapFrom(converter, user, dollars * received) : []),
  ]
}

/** What the neg-risk adapter does for its caller. */
function convert(act: Convert, caller: Word): LogBody[] {
  const { event, indexSet, amount } = act
  assert(event.negRisk, 'only neg-risk events convert')
  const { given, others } = questionsOf(act)
  const fee = conversionFee(act)
  const dollars = given.length - 1
  const adapter = WORD.negRiskAdapter
  const noGiven = given.map((market) => market.tokens[1].word)
  const noOthers = others.map((market) => market.tokens[1].word)
  const yesOthers = others.map((market) => market.tokens[0].word)

  return [
    mintWcol(others.length * amount),
    ...others.flatMap((market) => [
      moveWcol(adapter, WORD.ctf, amount),
      ...mintBoth(adapter, WORD.wcol, market, amount),
    ]),
    moveAll(adapter, caller, WORD.negRiskBurn, noGiven, amount),
    moveAll(adapter, adapter, WORD.negRiskBurn, noOthers, amount),
    ...(dollars > 0 && fee > 0 ? [moveUsdce(WORD.wcol, WORD.negRiskVault, dollars * fee)] : []),
    ...(dollars > 0 ? [moveUsdce(WORD.wcol, caller, dollars * (amount - fee))] : []),
    ...(others.length > 0 && fee > 0 ? [moveAll(adapter, adapter, WORD.negRiskVault, yesOthers, fee)] : []),
    ...(others.length > 0 ? [moveAll(adapter, adapter, caller, yesOthers, amount - fee)] : []),
    positionsConverted(caller, event.negRisk.marketId, indexSet, amount),
  ]
}

function moveAll(operator: Word, from: Word, to: Word, tokens: readonly Word[], amount: number): LogBody {
  return moveManyShares(
    operator,
    from,
    to,
    tokens,
    tokens.map(() => amount),
  )
}
