import type { Act } from '../../../sim/universe/acts.js'
import type { Token } from '../../../sim/universe/market.js'
import type { Universe } from '../../../sim/universe/universe.js'
import { fillsIn, isTakerOrder, type ModelFill } from '../../trades/fill-model.js'
import {
  activityIn,
  comboRedemptionsIn,
  flowsIn,
  type ModelActivity,
  type ModelComboRedemption,
  type ModelFlow,
} from './activity.js'
import { ModelLedger, type ModelStep } from './ledger.js'
import type { ModelPosition } from './position.js'
import { type ModelResult, resultsIn } from './results.js'
import { shareMovesIn } from './share-moves.js'
import { eachTransaction, type ModelTransaction } from './transactions.js'

/**
 * What every answer about the chain must follow from: a second reading of it, which shares no code with the service. All
 * lists have the oldest first.
 */
export type Model = {
  head: { block: number; timeSec: number }
  transactions: readonly ModelTransaction[]
  fills: readonly ModelFill[]
  positions: readonly ModelPosition[]
  steps: readonly ModelStep[]
  activity: readonly ModelActivity[]
  flows: readonly ModelFlow[]
  comboRedemptions: readonly ModelComboRedemption[]
  /** What the last order that took paid for shares of a token, or left of a dollar for those of the other outcome. */
  lastPrices: ReadonlyMap<string, readonly [usd: bigint, shares: bigint]>
  /** By condition. */
  results: ReadonlyMap<string, ModelResult>
  /** Every token that an act names, by its decimal id. */
  tokens: ReadonlyMap<string, Token>
}

/** Reads the chain of the universe as it is now, from its first block. */
export function readModel({ chain }: Pick<Universe, 'chain'>): Model {
  const { number: block, timestampSec: timeSec } = chain.head
  return foldTransactions([...eachTransaction(chain)], { block, timeSec })
}

/** What the model was when the last block of that time was the head. */
export function modelAsOf(model: Model, timeSec: number): Model {
  if (timeSec >= model.head.timeSec) return model
  const past = model.transactions.filter((transaction) => transaction.timeSec <= timeSec)
  return foldTransactions(past, { block: past.at(-1)?.block ?? 0, timeSec })
}

function foldTransactions(transactions: readonly ModelTransaction[], head: Model['head']): Model {
  const ledger = new ModelLedger()
  const fills: ModelFill[] = []
  const results = new Map<string, ModelResult>()
  const tokens = new Map<string, Token>()
  for (const { block, timeSec, act, logs } of transactions) {
    const own = fillsIn(logs, () => timeSec)
    fills.push(...own)
    ledger.book({ block, timeSec }, act, own, shareMovesIn(logs))
    for (const token of tokensOf(act)) tokens.set(token.decimal, token)
    for (const result of resultsIn(logs, timeSec)) results.set(result.condition, result)
  }
  return {
    head,
    transactions,
    fills,
    positions: ledger.positions,
    steps: ledger.steps,
    activity: transactions.flatMap(activityIn),
    flows: transactions.flatMap(flowsIn),
    comboRedemptions: transactions.flatMap(comboRedemptionsIn),
    lastPrices: lastPricesOf(fills, tokens),
    results,
    tokens,
  }
}

function lastPricesOf(
  fills: readonly ModelFill[],
  tokens: ReadonlyMap<string, Token>,
): Map<string, readonly [bigint, bigint]> {
  const prices = new Map<string, readonly [bigint, bigint]>()
  for (const fill of fills) {
    const { token, usd, shares } = fill
    if (!isTakerOrder(fill) || shares === 0n) continue
    prices.set(token, [usd, shares])
    const known = tokens.get(token)
    const other = known?.of.tokens.find(({ outcome }) => outcome !== known.outcome)
    if (other !== undefined && usd <= shares) prices.set(other.decimal, [shares - usd, shares])
  }
  return prices
}

function tokensOf(act: Act): readonly Token[] {
  switch (act.kind) {
    case 'match':
      return act.of.tokens
    case 'split':
    case 'merge':
    case 'redeem':
      return act.market.tokens
    case 'convert':
      return act.event.markets.flatMap(({ tokens }) => tokens)
    case 'transfer':
      return act.shares.map(({ token }) => token)
    case 'redeemCombo':
      return act.token.of.tokens
    case 'migrate':
      return [...act.combo.tokens, ...act.combo.legs.flatMap(({ market }) => market.tokens)]
    default:
      return []
  }
}
