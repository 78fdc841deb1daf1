import { toAmount } from '../markets/amounts.js'
import { isBet, namesOf, profileOf } from '../markets/names.js'
import { type TradeRow, toTradeRow } from '../markets/trade-row.js'
import type { Side } from '../universe/acts.js'
import type { Payouts, Token } from '../universe/market.js'
import { payoutOf, questionsOf } from '../universe/outcomes.js'
import type { Settled } from '../universe/settled-acts.js'
import type { Wallet } from '../universe/wallet.js'
import { fillsOf } from './steps.js'

export const ACTIVITY_TYPES = [
  'TRADE',
  'SPLIT',
  'MERGE',
  'REDEEM',
  'REWARD',
  'CONVERSION',
  'DEPOSIT',
  'WITHDRAWAL',
  'YIELD',
  'MAKER_REBATE',
  'TAKER_REBATE',
  'REFERRAL_REWARD',
] as const
/** The second version has more. */
export const ACTIVITY_TYPES_V2 = [...ACTIVITY_TYPES, 'MIGRATION', 'TIP'] as const
type ActivityType = (typeof ACTIVITY_TYPES_V2)[number]

/** Fields that make no sense for a type are empty; an outcome that is none is 999. */
export type ActivityRow = Omit<TradeRow, 'side'> & {
  side: Side | ''
  type: ActivityType
  usdcSize: number
  isCombo: boolean
}

/** The rows of one transaction for a wallet that took part in it. */
export function showActivity({ tx, block }: Settled, wallet: Wallet): ActivityRow[] {
  const { act, hash } = tx
  const { timestampSec } = block
  const show = (type: ActivityType, size: number, usdc: number, more: Partial<ActivityRow>) => ({
    ...emptyRow(wallet, hash, timestampSec),
    type,
    size: toAmount(size),
    usdcSize: toAmount(usdc),
    ...more,
  })
  const showRedeemed = (token: Token, amount: number, payouts: Payouts) => {
    const paid = payoutOf(amount, payouts, token.outcome)
    return show('REDEEM', amount, paid, tokenNames(token, paid / amount))
  }
  switch (act.kind) {
    case 'match':
      return fillsOf(act, wallet)
        .toReversed()
        .map((fill) => ({
          ...toTradeRow(fill, hash, timestampSec),
          type: 'TRADE',
          usdcSize: toAmount(fill.usd),
          isCombo: isBet(act.of),
        }))
    case 'split':
      return [show('SPLIT', act.amount, act.amount, marketNames(act.market.tokens[0]))]
    case 'merge':
      return [show('MERGE', act.amount, act.amount, marketNames(act.market.tokens[0]))]
    case 'redeem':
      return act.market.tokens.flatMap((token) => {
        const amount = act.amounts[token.outcome]
        return amount === 0 ? [] : [showRedeemed(token, amount, act.payouts)]
      })
    case 'redeemCombo':
      return [showRedeemed(act.token, act.amount, act.payouts)]
    case 'convert': {
      const { given } = questionsOf(act)
      const freed = act.amount * (given.length - 1)
      const names = given[0] === undefined ? {} : marketNames(given[0].tokens[1])
      return [show('CONVERSION', act.amount, freed, { ...names, title: act.event.title })]
    }
    case 'migrate':
      return act.combo.tokens.flatMap((token) => {
        const amount = act.amounts[token.outcome]
        return amount === 0 ? [] : [show('MIGRATION', amount, 0, tokenNames(token, 0))]
      })
    case 'deposit':
      return [show('DEPOSIT', act.amount, act.amount, {})]
    case 'withdraw':
      return [show('WITHDRAWAL', act.amount, act.amount, {})]
    default:
      return []
  }
}

const emptyRow = (wallet: Wallet, transactionHash: string, timestamp: number) => ({
  proxyWallet: wallet.address,
  side: '' as const,
  asset: '',
  conditionId: '',
  price: 0,
  timestamp,
  title: '',
  slug: '',
  icon: '',
  eventSlug: '',
  outcome: '',
  outcomeIndex: 999,
  ...profileOf(wallet),
  transactionHash,
  isCombo: false,
})

function marketNames(token: Token) {
  const { conditionId, title, slug, icon, eventSlug } = namesOf(token)
  return { conditionId, title, slug, icon, eventSlug }
}

const tokenNames = (token: Token, price: number) => ({
  ...marketNames(token),
  asset: token.decimal,
  outcome: namesOf(token).outcome,
  outcomeIndex: token.outcome,
  price,
  isCombo: isBet(token.of),
})
