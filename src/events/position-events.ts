import { Type } from 'typebox'
import type { EventDraft } from '../bus/event.js'
import type { ConversionFact } from '../chain/facts/conversion.js'
import type { FlowFact } from '../chain/facts/flow.js'
import type { SplitFact } from '../chain/facts/split.js'
import type { TransferFact } from '../chain/facts/transfer.js'
import { toDecimal } from '../core/money.js'
import { nullable } from '../lib/nullable.js'
import type { MessageFamily } from './block-facts.js'
import { collateralOf, type EnrichedToken, type Enricher } from './enrichment.js'
import { defineLogMessage, described, distinct, ENRICHED, ENRICHED_TOKEN, optional, Wire } from './message.js'

const positionChange = defineLogMessage({
  type: 'position_change',
  summary: 'Outcome tokens moved between wallets outside of a match.',
  examples: { 'Shares were given away': {} },
  fields: {
    from: Wire.Address,
    to: Wire.Address,
    token_id: Wire.TokenId,
    amount: described(Wire.Amount, 'shares'),
    transfer_type: Type.Union([Type.Literal('single'), Type.Literal('batch')]),
    ...ENRICHED_TOKEN,
  },
})

function positionChangeEvent(fact: TransferFact, isBatch: boolean, enricher: Enricher): EventDraft {
  const { from, to, amount } = fact
  const { id, conditionId, market, fields } = enricher.token(fact.token)
  return positionChange.draft(
    fact,
    {
      from,
      to,
      token_id: id,
      amount: toDecimal(amount),
      transfer_type: isBatch ? 'batch' : 'single',
      ...fields,
    },
    { wallets: [from, to], tokens: [id], market, conditionId },
  )
}

const SPLIT = {
  ...ENRICHED,
  stakeholder: described(Wire.Address, 'the wallet, also behind an adapter'),
  collateral_token: Wire.Address,
  condition_id: Wire.Hash,
  amount: described(Wire.Amount, 'USDC'),
}
const split = defineLogMessage({
  type: 'position_split',
  summary: 'Money became a full set of outcome tokens.',
  examples: { 'A full set was made': {} },
  fields: SPLIT,
})
const merge = defineLogMessage({
  type: 'position_merge',
  summary: 'A full set of outcome tokens became money.',
  examples: { 'A full set was merged': {} },
  fields: SPLIT,
})

/**
 * A wallet made or undid full sets. Only the neg-risk adapter reports it without moving tokens itself,
 * which shows the kind of a market that the catalogue does not have.
 */
function splitEvent(fact: SplitFact, enricher: Enricher): EventDraft {
  const { wallet, condition, amount, isMerge, isCore } = fact
  const { market, fields } = enricher.condition(condition)
  const tokens = fact.tokens.map((token) => enricher.tokenId(token))
  const message = isMerge ? merge : split
  return message.draft(
    fact,
    {
      stakeholder: wallet,
      collateral_token: collateralOf(condition, market?.neg_risk ?? !isCore),
      amount: toDecimal(amount),
      token_ids: tokens,
      ...fields,
    },
    {
      wallets: [wallet],
      tokens: [...tokens, ...(market?.token_ids ?? [])],
      market,
      conditionId: fields.condition_id,
      usd: amount,
    },
  )
}

const conversion = defineLogMessage({
  type: 'positions_converted',
  summary: 'NO tokens of a neg-risk market became money and YES tokens of the others.',
  examples: { 'NO shares were converted': {} },
  fields: {
    stakeholder: Wire.Address,
    market_id: described(Wire.Hash, 'of the neg-risk group'),
    index_set: described(Wire.Hash, 'one bit for each question whose NO tokens were given'),
    amount: described(Wire.Amount, 'shares of each NO token'),
    neg_risk: Type.Literal(true),
    token_ids: described(Type.Array(Wire.TokenId), 'NO tokens given, then YES tokens received'),
    ...optional({
      converted_outcomes: Type.Array(Type.String()),
      event_title: Wire.Text,
      event_slug: Wire.Text,
      market_title: Type.String(),
      market_slug: Type.String(),
      market_image: Wire.Text,
      taker_base_fee: nullable(Wire.Count),
      tokens: Type.Record(Type.String(), Type.String(), { description: 'outcomes by token id' }),
    }),
  },
})

/** Usually about several markets of one event: the fields of a market are there if it is only one. */
function conversionEvent(fact: ConversionFact, enricher: Enricher): EventDraft {
  const { wallet, amount, market: marketId, given, taken } = fact
  const tokens = given.map((token) => enricher.token(token))
  const markets = tokens.flatMap(({ market }) => market ?? [])
  const only = tokens.length === 1 ? markets[0] : undefined
  const tokenIds = distinct([...tokens.map(({ id }) => id), ...taken.map((token) => enricher.tokenId(token))])
  return conversion.draft(
    fact,
    {
      stakeholder: wallet,
      market_id: marketId,
      index_set: fact.indexSet,
      amount: toDecimal(amount),
      converted_outcomes:
        markets.length === tokens.length ? markets.map((market) => market.market_title) : undefined,
      event_title: markets[0]?.event_title,
      event_slug: markets[0]?.event_slug,
      neg_risk: true,
      token_ids: tokenIds,
      market_title: only?.market_title,
      market_slug: only?.market_slug,
      market_image: only?.market_image,
      taker_base_fee: only?.taker_base_fee,
      tokens: labelsOf(tokens),
    },
    {
      wallets: [wallet],
      tokens: tokenIds,
      market: markets[0],
      usd: amount,
      conditionIds: markets.map((market) => market.condition_id),
    },
  )
}

function labelsOf(tokens: readonly EnrichedToken[]): Record<string, string> | undefined {
  const labels = tokens.flatMap(({ id, outcome }) => (outcome === undefined ? [] : [[id, outcome]]))
  return labels.length === 0 ? undefined : Object.fromEntries(labels)
}

const deposit = defineLogMessage({
  type: 'deposit',
  summary: 'Money came to or left the platform.',
  examples: { 'A deposit': { direction: 'deposit' }, 'A withdrawal': { direction: 'withdrawal' } },
  fields: {
    from: Wire.Address,
    to: Wire.Address,
    amount: described(Wire.Amount, 'USD'),
    direction: Type.Union([Type.Literal('deposit'), Type.Literal('withdrawal')]),
  },
})

/** `undefined`: the collateral neither came in nor went out. */
function depositEvent(fact: FlowFact): EventDraft | undefined {
  const { kind, from, to, amount } = fact
  if (kind !== 'deposit' && kind !== 'withdrawal') return undefined
  return deposit.draft(
    fact,
    { from, to, amount: toDecimal(amount), direction: kind },
    { wallets: [from, to], usd: amount },
  )
}

/** What a wallet does outside of trades. The moves inside a match or a contract are not published. */
export const positionFamily = {
  messages: [positionChange, split, merge, conversion, deposit],
  *fromBlock({ flows, transfers, splits, conversions }, enricher) {
    for (const flow of flows) yield { seq: flow.seq, event: depositEvent(flow) }
    for (const [index, transfer] of transfers.entries()) {
      if (transfer.isInternal) continue
      const isBatch = transfer.sub > 0 || transfers[index + 1]?.seq === transfer.seq
      yield { seq: transfer.seq, event: positionChangeEvent(transfer, isBatch, enricher) }
    }
    for (const fact of splits) if (fact.isUser) yield { seq: fact.seq, event: splitEvent(fact, enricher) }
    for (const fact of conversions) yield { seq: fact.seq, event: conversionEvent(fact, enricher) }
  },
} as const satisfies MessageFamily
