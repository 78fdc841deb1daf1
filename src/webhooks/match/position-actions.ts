import { toDecimal } from '../../core/money.js'
import type { WebhookPayload } from '../payloads.js'
import {
  type ConversionRow,
  type RedemptionRow,
  type SplitRow,
  selectConversions,
  selectRedemptions,
  selectSplits,
} from './action-queries.js'
import type { Detector } from './detector.js'
import type { FactSlice } from './fact-slice.js'
import { outcomeOfToken, type SliceMarket, unknownMarket } from './slice-markets.js'
import { identityOf, logIdOf } from './trades.js'

type ActionType = 'redemption' | 'split' | 'merge' | 'neg_risk_conversion'

/** What a wallet does with outcome tokens besides trading. */
export type PositionAction = {
  type: ActionType
  seq: number
  timeSec: number
  identity: string
  wallet: string
  conditionIds: readonly string[]
  present: () => object
}

/** What wallets meant: not the moves inside of matches and contracts. */
export const positionActions: Detector = {
  types: ['redemption', 'split', 'merge', 'neg_risk_conversion'],
  async detect(slice) {
    const actions = await readActions(slice)
    const occurrences = actions.map(({ wallet, conditionIds, ...action }) => ({
      ...action,
      keys: { wallets: [wallet], conditionIds },
    }))
    return { occurrences }
  },
}

/** The actions that a webhook may want, by kind and not in the order of the facts. */
export function readActions(slice: FactSlice): Promise<PositionAction[]> {
  return slice.once(readActionsOnce)
}

async function readActionsOnce(slice: FactSlice): Promise<PositionAction[]> {
  const isWanted = (...types: ActionType[]) =>
    [...types, 'wallet_activity' as const].some((type) => slice.asksFor(type))
  const [splits, redemptions, conversions] = await Promise.all([
    isWanted('split', 'merge') ? selectSplits(slice) : [],
    isWanted('redemption') ? selectRedemptions(slice) : [],
    isWanted('neg_risk_conversion') ? selectConversions(slice) : [],
  ])
  const conditions = [...splits, ...redemptions].map(({ condition }) => condition)
  const byCondition = await slice.markets.ofConditions(conditions)
  const byToken = await slice.markets.ofTokens(conversions.flatMap(({ tokens }) => tokens))
  const marketOf = (condition: string) => byCondition.get(condition) ?? unknownMarket(condition)
  return [
    ...splits.map((row) => toSplit(row, marketOf(row.condition))),
    ...redemptions.map((row) => toRedemption(row, marketOf(row.condition))),
    ...conversions.map((row) => toConversion(row, byToken.get(row.tokens[0] ?? '') ?? unknownMarket(null))),
  ]
}

const placeOf = (row: SplitRow | RedemptionRow | ConversionRow) => ({
  seq: row.seq,
  timeSec: row.timeSec,
  identity: identityOf(row),
  wallet: row.wallet,
})

const presentPlace = (row: SplitRow | RedemptionRow | ConversionRow) => ({
  id: logIdOf(row),
  transaction_hash: row.txHash,
  timestamp: String(row.timeSec),
  wallet: row.wallet,
})

const presentMarket = ({ question, slug, eventSlug }: SliceMarket) => ({
  market: question,
  slug,
  event_slug: eventSlug,
})

function toSplit(row: SplitRow, market: SliceMarket): PositionAction {
  const { isMerge, condition, amount } = row
  const present = (): WebhookPayload<'split' | 'merge'> => ({
    ...presentPlace(row),
    condition_id: condition,
    amount: toDecimal(amount),
    ...presentMarket(market),
  })
  const type = isMerge ? 'merge' : 'split'
  return { type, ...placeOf(row), conditionIds: [condition], present }
}

function toRedemption(row: RedemptionRow, market: SliceMarket): PositionAction {
  const { condition, payout } = row
  const present = (): WebhookPayload<'redemption'> => ({
    ...presentPlace(row),
    condition_id: condition,
    payout_usd: toDecimal(payout),
    outcome: redeemedOutcome(row, market),
    ...presentMarket(market),
  })
  return { type: 'redemption', ...placeOf(row), conditionIds: [condition], present }
}

/** Of the token that was given; of several the one that won. */
function redeemedOutcome({ tokens, payouts }: RedemptionRow, market: SliceMarket): string | null {
  const [token, ...others] = tokens
  if (token !== undefined && others.length === 0) return outcomeOfToken(market, token)
  const paying = (payouts ?? []).flatMap((payout, index) => (payout === '0' ? [] : index))
  return paying.length === 1 ? (market.outcomes[paying[0] ?? 0] ?? null) : null
}

/** The markets of a conversion are those of one event; `market` is the first of them. */
function toConversion(row: ConversionRow, market: SliceMarket): PositionAction {
  const { market: group, indexSet, amount } = row
  const present = (): WebhookPayload<'neg_risk_conversion'> => ({
    ...presentPlace(row),
    market_id: group,
    amount: toDecimal(amount),
    index_set: indexSet,
    event_title: market.eventTitle,
    condition_id: market.conditionId,
    ...presentMarket(market),
  })
  return { type: 'neg_risk_conversion', ...placeOf(row), conditionIds: [], present }
}
