import { type Act, type Convert, type Fill, isV1, type Match } from '../universe/acts.js'
import type { Payouts, Token } from '../universe/market.js'
import { conversionFee, payoutOf, questionsOf } from '../universe/outcomes.js'
import type { Wallet } from '../universe/wallet.js'
import type { Step } from './positions.js'

/** What an act does to the positions of a wallet that took part in it. */
export function stepsOf(act: Act, wallet: Wallet): Step<Token>[] {
  switch (act.kind) {
    case 'match':
      return fillsOf(act, wallet).map(fillStep)
    case 'split':
    case 'merge':
      return [{ op: act.kind, tokens: act.market.tokens, amount: BigInt(act.amount) }]
    case 'redeem':
      return act.market.tokens.map((token) => redeemStep(token, act.amounts[token.outcome], act.payouts))
    case 'redeemCombo':
      return [redeemStep(act.token, act.amount, act.payouts)]
    case 'convert':
      return [convertStep(act)]
    case 'migrate':
      return act.combo.tokens.flatMap((to) => {
        const from = act.combo.legs[0]?.market.tokens[to.outcome]
        const amount = BigInt(act.amounts[to.outcome])
        return from === undefined || amount === 0n ? [] : [{ op: 'migrate', from, to, amount }]
      })
    case 'transfer': {
      const op = act.to === wallet ? 'receive' : 'give'
      return act.shares.map(({ token, amount }) => ({ op, token, amount: BigInt(amount) }))
    }
    default:
      return []
  }
}

/** The wallet's own orders in a match: one as the taker, or any number as a maker. */
export const fillsOf = ({ taker, makers }: Match, wallet: Wallet): readonly Fill[] =>
  taker.order.wallet === wallet ? [taker] : makers.filter(({ order }) => order.wallet === wallet)

/** The first exchange took the fee of a buy in shares. */
function fillStep({ order, usd, shares, fee, refund }: Fill): Step<Token> {
  const { token, side, exchange } = order
  if (side === 'SELL') return { op: 'sell', token, usd: BigInt(usd), shares: BigInt(shares) }
  const received = isV1(exchange) ? shares - (fee - refund) : shares
  return { op: 'buy', token, usd: BigInt(usd), shares: BigInt(received) }
}

const redeemStep = (token: Token, amount: number, payouts: Payouts): Step<Token> => ({
  op: 'redeem',
  token,
  usd: BigInt(payoutOf(amount, payouts, token.outcome)),
  shares: BigInt(amount),
})

function convertStep(act: Convert): Step<Token> {
  const { given, others } = questionsOf(act)
  const kept = act.amount - conversionFee(act)
  return {
    op: 'convert',
    given: given.map(({ tokens }) => tokens[1]),
    amount: BigInt(act.amount),
    received: others.map(({ tokens }) => tokens[0]),
    shares: BigInt(kept),
    usd: BigInt(kept) * BigInt(given.length - 1),
  }
}
