import type { Redeem } from '../universe/acts.js'
import { WORD } from './addresses.js'
import { wrap } from './collateral.js'
import { redeemThrough, userAdapter } from './collateral-adapter.js'
import { autoBinaryRedemption, autoNegRiskRedemption } from './events/auto-redeemer.js'
import { pullUsdce } from './events/erc20.js'
import { moveManyShares } from './events/erc1155.js'
import type { LogBody } from './log.js'
import { payoutOfBoth } from './payouts.js'
import { redeem, tokenWords } from './positions.js'

export function encodeRedeem(act: Redeem): LogBody[] {
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
