import type { Act, Convert, Fill, Match, Redeem } from '../universe/acts.js'
import type { Token } from '../universe/market.js'
import { payoutOf, questionsOf } from '../universe/outcomes.js'
import type { Wallet } from '../universe/wallet.js'
import type { Step } from './positions.js'

/** What an act does to the positions of a wallet that took part in it. */
export function stepsOf(act: Act, wallet: Wallet): Step<Token>[] {
  switch (act.kind) {
    case 'match':
      return fillsOf(act, wallet).map(({ order, usd, shares }) => ({
        op: order.side === 'BUY' ? 'buy' : 'sell',
        token: order.token,
        usd: BigInt(usd),
        shares: BigInt(shares),
      }))
    case 'split':
    case 'merge':
      return [{ op: act.kind, tokens: act.market.tokens, amount: BigInt(act.amount) }]
    case 'redeem':
      return [redeemStep(act)]
    case 'redeemCombo': {
      const { token, amount, payouts } = act
      const usd = BigInt(payoutOf(amount, payouts, token.outcome))
      return [{ op: 'sell', token, usd, shares: BigInt(amount) }]
    }
    case 'convert':
      return [convertStep(act)]
    case 'migrate':
      return act.combo.tokens.flatMap((to) => {
        const from = act.combo.legs[0]?.market.tokens[to.outcome]
        const amount = BigInt(act.amounts[to.outcome])
        return from === undefined || amount === 0n ? [] : [{ op: 'migrate', from, to, amount }]
      })
    default:
      return []
  }
}

/** The wallet's own orders in a match: one as the taker, or any number as a maker. */
export const fillsOf = ({ taker, makers }: Match, wallet: Wallet): readonly Fill[] =>
  taker.order.wallet === wallet ? [taker] : makers.filter(({ order }) => order.wallet === wallet)

/** The plain contracts do not say how much was redeemed, so all that is known to be held counts. */
function redeemStep({ market, payouts, amounts }: Redeem): Step<Token> {
  const step = { op: 'redeem' as const, tokens: market.tokens, numerators: payouts.map(BigInt) }
  return market.event.negRisk === undefined ? step : { ...step, amounts: amounts.map(BigInt) }
}

function convertStep(act: Convert): Step<Token> {
  const { given, others } = questionsOf(act)
  return {
    op: 'convert',
    given: given.map(({ tokens }) => tokens[1]),
    received: others.map(({ tokens }) => tokens[0]),
    amount: BigInt(act.amount),
  }
}
