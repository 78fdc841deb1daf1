import { toDecimal } from '../../core/money.js'
import type { WebhookPayload } from '../event-types.js'
import type { Detector } from './detector.js'
import { type FactSlice, selectWalletFacts, type WalletFact } from './fact-slice.js'
import { outcomeOfToken, type SliceMarket } from './slice-markets.js'
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
  const marketOf = await slice.markets.ofConditions(conditions)
  const marketOfToken = await slice.markets.ofTokens(conversions.flatMap(({ tokens }) => tokens))
  return [
    ...splits.map((row) => toSplit(row, marketOf(row.condition))),
    ...redemptions.map((row) => toRedemption(row, marketOf(row.condition))),
    ...conversions.map((row) => toConversion(row, marketOfToken(row.tokens[0] ?? ''))),
  ]
}

const occurrenceFieldsOf = (row: WalletFact) => ({
  seq: row.seq,
  timeSec: row.timeSec,
  identity: identityOf(row),
  wallet: row.wallet,
})

const presentLog = (row: WalletFact) => ({
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
    ...presentLog(row),
    condition_id: condition,
    amount: toDecimal(amount),
    ...presentMarket(market),
  })
  const type = isMerge ? 'merge' : 'split'
  return { type, ...occurrenceFieldsOf(row), conditionIds: [condition], present }
}

function toRedemption(row: RedemptionRow, market: SliceMarket): PositionAction {
  const { condition, payout } = row
  const present = (): WebhookPayload<'redemption'> => ({
    ...presentLog(row),
    condition_id: condition,
    payout_usd: toDecimal(payout),
    outcome: redeemedOutcome(row, market),
    ...presentMarket(market),
  })
  return { type: 'redemption', ...occurrenceFieldsOf(row), conditionIds: [condition], present }
}

/** Of the token that was redeemed; of several the one that won. */
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
    ...presentLog(row),
    market_id: group,
    amount: toDecimal(amount),
    index_set: indexSet,
    event_title: market.eventTitle,
    condition_id: market.conditionId,
    ...presentMarket(market),
  })
  return { type: 'neg_risk_conversion', ...occurrenceFieldsOf(row), conditionIds: [], present }
}

/** Full sets that wallets made or undid, without those inside of matches. Bits of flags: 1 merge, 4 user. */
type SplitRow = WalletFact & { isMerge: boolean; condition: string; amount: bigint }

const selectSplits = (slice: FactSlice) =>
  selectWalletFacts<SplitRow>(slice, 'splits', {
    columns: slice.sql`f.flags & 1 <> 0 as is_merge, f.amount, '0x' || encode(c.condition, 'hex') as condition`,
    joins: slice.sql`join conditions c on c.id = f.condition`,
    where: slice.sql`f.flags & 4 <> 0`,
  })

type RedemptionRow = WalletFact & {
  condition: string
  payout: bigint
  /** The tokens that were redeemed. */
  tokens: string[]
  /** Payout numerators of the result, by outcome; null: it is not among the facts. */
  payouts: string[] | null
}

/** Bits of flags: 4 user. */
const selectRedemptions = (slice: FactSlice) =>
  selectWalletFacts<RedemptionRow>(slice, 'redemptions', {
    columns: slice.sql`
      f.payout, '0x' || encode(c.condition, 'hex') as condition, result.payouts,
      array(select '0x' || encode(t.token, 'hex')
              from unnest(f.tokens) with ordinality as redeemed (id, nth)
              join tokens t on t.id = redeemed.id
             order by redeemed.nth) as tokens`,
    joins: slice.sql`
      join conditions c on c.id = f.condition
      left join lateral (
        select payouts from resolutions
         where condition = f.condition and seq < f.seq order by seq desc limit 1
      ) result on true`,
    where: slice.sql`f.flags & 4 <> 0`,
  })

type ConversionRow = WalletFact & {
  market: string
  indexSet: string
  amount: bigint
  /** The NO tokens that were converted. */
  tokens: string[]
}

const selectConversions = (slice: FactSlice) =>
  selectWalletFacts<ConversionRow>(slice, 'conversions', {
    columns: slice.sql`
      f.amount, '0x' || encode(f.market, 'hex') as market, '0x' || encode(f.index_set, 'hex') as index_set,
      array(select '0x' || encode(t.token, 'hex') from tokens t where t.id = any(f.given) order by t.id) as tokens`,
  })
