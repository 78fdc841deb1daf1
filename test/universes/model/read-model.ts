import type { Act } from '../../../sim/universe/acts.js'
import type { Token } from '../../../sim/universe/market.js'
import type { Universe } from '../../../sim/universe/universe.js'
import { fillsIn, type ModelFill } from '../../trades/fill-model.js'
import { ModelLedger, type ModelStep } from './ledger.js'
import type { ModelPosition } from './position.js'
import { type ModelResult, resultsIn } from './results.js'
import { shareMovesIn } from './share-moves.js'
import { eachTransaction, type ModelTransaction } from './transactions.js'

/** What every answer about the chain must follow from. Nothing here shares code with the service. */
export type Model = {
  head: { block: number; timeSec: number }
  transactions: readonly ModelTransaction[]
  /** The oldest first, like all lists here. */
  fills: readonly ModelFill[]
  positions: readonly ModelPosition[]
  steps: readonly ModelStep[]
  /** By condition. */
  results: ReadonlyMap<string, ModelResult>
  /** Every token that an act names, by its decimal id. */
  tokens: ReadonlyMap<string, Token>
}

/**
 * Reads the chain of the universe as it is now, from its first block. `toSec`: as it was when the last block of that time
 * was its head.
 */
export function readModel(universe: Pick<Universe, 'chain'>, toSec?: number): Model {
  const transactions = [...eachTransaction(universe, toSec)]
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
    head: headOf(universe, toSec),
    transactions,
    fills,
    positions: ledger.positions,
    steps: ledger.steps,
    results,
    tokens,
  }
}

function headOf({ chain }: Pick<Universe, 'chain'>, toSec = Number.POSITIVE_INFINITY): Model['head'] {
  let { number } = chain.head
  while (chain.timestampSec(number) > toSec) number--
  return { block: number, timeSec: chain.timestampSec(number) }
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
