import { isoTime, toAmount } from '../markets/amounts.js'
import { isBet, namesOf } from '../markets/names.js'
import type { Combo, Market, Outcome, Payouts, Token } from '../universe/market.js'
import { payoutOf, worthOf } from '../universe/outcomes.js'
import type { Settled } from '../universe/settled-acts.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import type { Api } from './context.js'
import { Marks } from './marks.js'
import type { Holding } from './portfolio.js'
import { averagePriceOf } from './positions.js'
import { txIndexOf } from './scope.js'

/** A row never says that it can be redeemed: that is a flag of its own, and a filter. */
export const COMBO_STATUSES = [
  'OPEN',
  'REDEEMABLE',
  'PARTIAL',
  'RESOLVED_PARTIAL',
  'RESOLVED_WIN',
  'RESOLVED_LOSS',
] as const
type ComboStatus = Exclude<(typeof COMBO_STATUSES)[number], 'REDEEMABLE'>

/** What a wallet has or had of one side of a bet on several markets. Money in dollars. */
export type ComboFigures = {
  wallet: Wallet
  token: Token
  combo: Combo
  size: number
  avgPrice: number
  cost: number
  fees: number
  paid: number
  currentValue: number
  status: ComboStatus
  isRedeemable: boolean
  firstSec: number
  lastSec: number
  legs: LegRow[]
}

type LegRow = ReturnType<typeof showLeg>

export function measureCombos(api: Api, wallet: Wallet): ComboFigures[] {
  const { universe, portfolios } = api
  const marks = new Marks(universe, universe.nowMs)
  const paid = sumPayouts(universe, wallet)
  return [...portfolios.of(wallet).holdings].flatMap(([token, holding]) => {
    const { of } = token
    if (of.kind !== 'combo' || !isBet(of)) return []
    const { bought, balance } = holding.position
    if (bought === 0n && balance === 0n) return []
    return [{ ...measure(universe, marks, token, of, holding), wallet, paid: paid.get(token) ?? 0 }]
  })
}

function measure(
  universe: Universe,
  marks: Marks,
  token: Token,
  combo: Combo,
  { position, entryFees, entrySec, lastSec }: Holding,
): Omit<ComboFigures, 'wallet' | 'paid'> {
  const payouts = universe.payouts(combo)
  const { balance, boughtCost } = position
  return {
    token,
    combo,
    size: toAmount(balance),
    avgPrice: toAmount(averagePriceOf(position)),
    cost: toAmount(boughtCost),
    fees: toAmount(entryFees),
    currentValue: toAmount(Math.round(Number(balance) * marks.of(token))),
    status: statusOf(universe, combo, token.outcome),
    isRedeemable: balance > 0n && payouts !== undefined && payouts[token.outcome] > 0,
    // What came as a gift was never entered.
    firstSec: entrySec === 0 ? lastSec : entrySec,
    lastSec,
    legs: showLegs(universe, combo, marks),
  }
}

function statusOf(universe: Universe, combo: Combo, outcome: Outcome): ComboStatus {
  const payouts = universe.payouts(combo)
  if (payouts !== undefined) return resultOf(payouts, outcome)
  return combo.legs.some(({ market }) => universe.payouts(market) !== undefined) ? 'PARTIAL' : 'OPEN'
}

function resultOf(payouts: Payouts, outcome: Outcome): ComboStatus {
  const worth = worthOf(payouts, outcome)
  if (worth === 1) return 'RESOLVED_WIN'
  return worth === 0 ? 'RESOLVED_LOSS' : 'RESOLVED_PARTIAL'
}

/** By token, in dollars. */
function sumPayouts({ settledActs }: Universe, wallet: Wallet): Map<Token, number> {
  const sums = new Map<Token, number>()
  for (const { tx } of settledActs.ofWallet(wallet)) {
    if (tx.act.kind !== 'redeemCombo') continue
    const { token, amount, payouts } = tx.act
    const paid = toAmount(payoutOf(amount, payouts, token.outcome))
    sums.set(token, (sums.get(token) ?? 0) + paid)
  }
  return sums
}

export const countResolved = ({ legs }: ComboFigures): number =>
  legs.filter(({ leg_status }) => leg_status !== 'OPEN').length

/** Both versions show legs in the same way. */
const showLegs = (universe: Universe, combo: Combo, marks: Marks) =>
  combo.legs.map((leg, index) => showLeg(universe, leg, index, marks))

function showLeg(
  universe: Universe,
  { market, outcome, positionId }: Combo['legs'][number],
  index: number,
  marks: Marks,
) {
  const payouts = universe.payouts(market)
  return {
    leg_index: index,
    leg_position_id: String(positionId),
    leg_condition_id: market.conditionId,
    leg_outcome_index: outcome,
    leg_outcome_label: market.outcomes[outcome],
    leg_status: payouts === undefined ? ('OPEN' as const) : resultOf(payouts, outcome),
    leg_resolved_at: payouts === undefined ? null : isoTime(market.resolvesMs),
    leg_current_price: marks.of(market.tokens[outcome]),
    market: showMarket(market, outcome),
  }
}

const showMarket = (market: Market, outcome: Outcome) => ({
  market_id: market.id,
  slug: market.slug,
  title: market.groupItemTitle || market.question,
  question: market.question,
  group_item_title: market.groupItemTitle,
  outcomes: market.outcomes,
  outcome: market.outcomes[outcome],
  image_url: market.event.image,
  icon_url: market.event.image,
  category: market.event.category,
  tags: market.event.tags.map(({ slug }) => slug),
  end_date: isoTime(market.endMs),
  event: {
    event_id: market.event.id,
    event_slug: market.event.slug,
    event_title: market.event.title,
    event_image: market.event.image,
  },
})

/** A bet that was redeemed: all that happens to combos here besides trades. */
export type ComboRedemption = {
  id: string
  wallet: Wallet
  token: Token
  size: number
  paid: number
  settled: Settled
  legs: LegRow[]
}

/** Newest first. */
export function listRedemptions(universe: Universe, wallet: Wallet): ComboRedemption[] {
  const marks = new Marks(universe, universe.nowMs)
  const found = universe.settledActs.ofWallet(wallet).flatMap((settled) => {
    const { act, hash } = settled.tx
    if (act.kind !== 'redeemCombo' || act.token.of.kind !== 'combo' || !isBet(act.token.of)) return []
    const paid = toAmount(payoutOf(act.amount, act.payouts, act.token.outcome))
    const legs = showLegs(universe, act.token.of, marks)
    const id = `${hash}-${txIndexOf(settled)}`
    return [{ id, wallet, token: act.token, size: toAmount(act.amount), paid, settled, legs }]
  })
  return found.reverse()
}

export const outcomeLabelOf = (token: Token): string => namesOf(token).outcome
