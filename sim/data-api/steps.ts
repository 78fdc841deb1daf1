import type { Act, Convert, Fill, Match, Redeem } from '../universe/acts.js'
import type { Market, Outcome, Payouts, Token } from '../universe/market.js'
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
    default:
      return []
  }
}

/** The wallet's own orders in a match: one as the taker, or any number as a maker. */
export const fillsOf = (match: Match, wallet: Wallet): Fill[] =>
  [match.taker, ...match.makers].filter(({ order }) => order.wallet === wallet)

/** What the shares of an outcome pay, rounded down as the contracts do. */
export const payoutOf = (amount: number, payouts: Payouts, outcome: Outcome): number =>
  Number((BigInt(amount) * BigInt(payouts[outcome])) / BigInt(payouts[0] + payouts[1]))

/** The plain contracts do not say how much was redeemed, so all that is known to be held counts. */
function redeemStep({ market, payouts, amounts }: Redeem): Step<Token> {
  const step = { op: 'redeem' as const, tokens: market.tokens, numerators: payouts.map(BigInt) }
  return market.event.negRisk === undefined ? step : { ...step, amounts: amounts.map(BigInt) }
}

/** The questions whose NO is given. */
export const givenOf = ({ event, indexSet }: Convert): Market[] =>
  event.markets.filter(({ index }) => Math.floor(indexSet / 2 ** index) % 2 === 1)

function convertStep(act: Convert): Step<Token> {
  const given = givenOf(act)
  const received = act.event.markets.filter((market) => !given.includes(market))
  return {
    op: 'convert',
    given: given.map(({ tokens }) => tokens[1]),
    received: received.map(({ tokens }) => tokens[0]),
    amount: BigInt(act.amount),
  }
}
