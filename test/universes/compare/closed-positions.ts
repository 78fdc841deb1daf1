import type { ModelPosition } from '../model/position.js'
import type { Model } from '../model/read-model.js'
import { type Comparison, type Row, requestOf } from './comparison.js'
import { decimal } from './numbers.js'
import { averageOf, listedPositions, oppositeOf, payoutOf } from './positions.js'
import { conditionOf, resultOf } from './token-fields.js'

/** Less than a hundredth of a share is nothing. */
const CLOSED_BELOW = 10_000n
const LIMIT = 50
const WALLET_POSITIONS_MAX = 500

/** Lists of positions of the second version of the API: closed ones, and those of a wallet in one answer. */
export async function compareClosedPositions(comparison: Comparison): Promise<void> {
  const { model, sampled } = comparison
  const listed = listedPositions(model)
  for (const wallet of sampled.wallets) {
    const own = listed.filter((position) => position.wallet === wallet)
    await compareClosed(comparison, wallet, own)
    await compareOnchain(comparison, wallet, own)
  }
}

async function compareClosed(comparison: Comparison, wallet: string, own: readonly ModelPosition[]) {
  const { model } = comparison
  const path = `/v2/wallets/${wallet}/closed-positions`
  const found: Row[] = []
  for (let isLast = false; !isLast; ) {
    const page = await comparison.get(path, { limit: LIMIT, offset: found.length })
    if (page === undefined) return
    const rows = page.positions as Row[]
    found.push(...rows)
    isLast = rows.length < LIMIT
  }
  const closed = own.filter(({ bought, balance }) => bought > 0n && balance < CLOSED_BELOW)
  const expected = closed.map((position) => closedRow(model, position))
  comparison.rows(path, found, expected, { key: ['asset'], isOrdered: false })
  comparison.descending(
    path,
    found.map(({ timestamp }) => BigInt(Number(timestamp))),
  )
}

function closedRow(model: Model, position: ModelPosition): Row {
  const { wallet, token, bought, boughtCost, realized, lastSec } = position
  const [numerator, denominator] = payoutOf(model, token)
  return {
    proxy_wallet: wallet,
    asset: token,
    condition_id: conditionOf(model, token),
    avg_price: decimal((boughtCost * 1_000_000n) / bought),
    total_bought: decimal(bought),
    realized_pnl: decimal(realized),
    ...(denominator > 0n && { cur_price: decimal((numerator * 1_000_000n) / denominator) }),
    timestamp: lastSec,
    outcome_index: model.tokens.get(token)?.outcome,
    opposite_asset: oppositeOf(model, token),
  }
}

async function compareOnchain(comparison: Comparison, wallet: string, own: readonly ModelPosition[]) {
  if (own.length > WALLET_POSITIONS_MAX) return
  const { model } = comparison
  const path = '/v2/onchain/positions'
  const answer = await comparison.get(path, { wallet })
  if (answer === undefined) return
  const expected = own.map((position): Row => {
    const { token, balance, realized, bought, filledSec, lastSec } = position
    const average = averageOf(position)
    const result = resultOf(model, token)
    return {
      wallet,
      token_id: token,
      size: decimal(balance),
      avg_price: average === undefined ? null : decimal(average),
      realized_pnl: decimal(realized),
      total_bought: decimal(bought),
      condition_id: conditionOf(model, token),
      last_trade_at: filledSec === 0 ? null : filledSec,
      resolved_at: result?.timeSec ?? null,
      redeemable: result !== undefined && balance > 0n,
      last_activity: lastSec,
    }
  })
  const where = requestOf(path, { wallet })
  comparison.rows(where, answer.positions as Row[], expected, { key: ['token_id'], isOrdered: false })
}
