import { isTakerOrder } from '../../trades/fill-model.js'
import type { ModelResult } from '../model/results.js'
import { type Comparison, type Row, requestOf } from './comparison.js'
import { decimal, sumOf } from './numbers.js'
import { conditionOf } from './token-fields.js'

/** Results of conditions, conditions with their tokens, and what was traded in their markets. */
export async function compareConditions(comparison: Comparison): Promise<void> {
  const { model, sampled } = comparison
  const path = '/v3/resolutions'
  const found = await comparison.walk(path, 'data')
  if (found !== undefined) {
    const expected = [...model.results.values()].map(resultRow).reverse()
    comparison.rows(path, found, expected, { key: ['condition_id'] })
  }
  for (const { conditionId, tokens } of sampled.markets) {
    const at = `/v3/conditions/${conditionId}`
    const answer = await comparison.get(at)
    const result = model.results.get(conditionId)
    const numerators = result?.payouts.map(Number) ?? [0, 0]
    if (answer !== undefined) {
      comparison.same(at, answer, {
        id: conditionId,
        position_ids: tokens.map((token) => token.decimal),
        payout_numerators: numerators,
        payout_denominator: `${numerators.reduce((sum, part) => sum + part, 0)}`,
        winning_outcome_index: winnerOf(result),
      })
    }
    await compareStats(comparison, conditionId)
  }
}

const resultRow = ({ condition, payouts, timeSec }: ModelResult): Row => ({
  condition_id: condition,
  payout_numerators: payouts.map(Number),
  payout_denominator: Number(sumOf(payouts)),
  resolved_at: `${timeSec * 1000}`,
})

function winnerOf(result: ModelResult | undefined): number | null {
  const paid = result?.payouts.flatMap((part, outcome) => (part > 0n ? [outcome] : [])) ?? []
  return paid.length === 1 ? (paid[0] ?? null) : null
}

/** Of a market that is named the numbers are of this moment. */
async function compareStats(comparison: Comparison, condition: string): Promise<void> {
  const { model } = comparison
  const path = '/v3/markets/stats'
  const query = { period: 'all', condition_id: condition }
  const answer = await comparison.get(path, query)
  if (answer === undefined) return
  const all = model.fills.filter(({ token }) => conditionOf(model, token) === condition)
  const took = all.filter(isTakerOrder)
  const volume = sumOf(took.map(({ usd }) => usd))
  const bought = sumOf(took.filter(({ isSell }) => !isSell).map(({ usd }) => usd))
  const expected = {
    condition_id: condition,
    volume_usd: decimal(volume),
    volume_shares: decimal(sumOf(took.map(({ shares }) => shares))),
    volume_buy: decimal(bought),
    volume_sell: decimal(volume - bought),
    trades: took.length,
    unique_traders: new Set(all.map(({ maker }) => maker)).size,
    fees_usd: decimal(sumOf(took.map(({ fee }) => fee))),
    first_trade_ts: took[0]?.timeSec,
    last_trade_ts: took.at(-1)?.timeSec,
  }
  comparison.rows(requestOf(path, query), answer.data as Row[], [expected], { key: ['condition_id'] })
}
