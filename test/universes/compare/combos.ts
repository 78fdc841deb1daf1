import type { Combo } from '../../../sim/universe/market.js'
import { isTakerOrder, type ModelFill } from '../../trades/fill-model.js'
import type { ModelComboRedemption } from '../model/activity.js'
import type { ModelPosition } from '../model/position.js'
import type { Model } from '../model/read-model.js'
import { type ComboResult, comboOf, comboResultOf, legConditionOf } from './combo-result.js'
import { type Comparison, type Row, requestOf } from './comparison.js'
import { byCount, groupBy } from './group-by.js'
import { decimalText, priceOf, sumOf } from './numbers.js'

const BOARD_LIMIT = 100

/** What wallets have, traded and did in combos, all combos, and who earned by them. */
export async function compareCombos(comparison: Comparison): Promise<void> {
  const { model, sampled } = comparison
  const positions = comboPositions(model)
  // Most wallets have none: that their lists are empty is shown by two of them.
  const traders = new Set(positions.map(({ wallet }) => wallet))
  const others = sampled.wallets.filter((wallet) => !traders.has(wallet))
  for (const wallet of [...sampled.wallets.filter((each) => traders.has(each)), ...others.slice(0, 2)]) {
    const own = positions.filter((position) => position.wallet === wallet)
    await comparePositionsOf(comparison, wallet, own)
    await compareTradesOf(comparison, wallet)
    await compareActivityOf(comparison, wallet)
  }
  for (const condition of byCount(model.comboRedemptions.map(({ token }) => token.of.conditionId)).slice(
    0,
    1,
  )) {
    const path = '/v3/combos/activity'
    const query = { condition_id: condition }
    const found = await comparison.walk(path, 'activity', query)
    const own = model.comboRedemptions.filter(({ token }) => token.of.conditionId === condition)
    if (found !== undefined) compareRedemptions(comparison, requestOf(path, query), found, own)
  }
  await comparison.eventually(() => compareMarkets(comparison))
  await comparison.eventually(() => compareBoard(comparison))
}

const comboPositions = (model: Model): ModelPosition[] =>
  model.positions.filter(
    ({ token, bought, balance }) => (bought > 0n || balance > 0n) && comboOf(model, token) !== undefined,
  )

async function comparePositionsOf(comparison: Comparison, wallet: string, own: readonly ModelPosition[]) {
  const { model } = comparison
  const path = `/v3/wallets/${wallet}/combos/positions`
  const found = await comparison.walk(path, 'positions')
  if (found === undefined) return
  const expected = own.map((position) => positionRow(model, position))
  comparison.rows(path, found, expected, { key: ['combo_position_id'], isOrdered: false })
  comparison.descending(
    path,
    found.map(({ last_activity_at }) => BigInt(Date.parse(String(last_activity_at)))),
  )
  const summary = await comparison.get(`/v3/wallets/${wallet}/combos/summary`)
  if (summary === undefined) return
  const held = own.filter(({ balance }) => balance > 0n)
  const open = held.filter(({ token }) => resultOf(model, token) === undefined)
  comparison.same(`/v3/wallets/${wallet}/combos/summary`, summary.summary as Row, {
    wallet_address: wallet,
    open_combo_count: open.length,
    closed_combo_count: own.length - open.length,
    balance_count: held.length,
    realized_pnl_usdc: decimalText(sumOf(own.map(({ realized }) => realized))),
  })
}

function positionRow(model: Model, position: ModelPosition): Row {
  const { wallet, token, balance, cost, boughtCost, realized, lastSec } = position
  const known = model.tokens.get(token)
  const combo = comboOf(model, token)
  const result = resultOf(model, token)
  const redeemed = model.comboRedemptions.filter(
    (redemption) => redemption.wallet === wallet && redemption.token.decimal === token,
  )
  const decided = combo?.legs.filter((leg) => model.results.has(legConditionOf(leg))).length ?? 0
  const [numerator, denominator] = result?.payout ?? [0n, 0n]
  return {
    wallet_address: wallet,
    combo_condition_id: combo?.conditionId,
    combo_position_id: token,
    side: known?.outcome === 0 ? 'YES' : 'NO',
    shares_balance: decimalText(balance),
    entry_cost_usdc: decimalText(cost),
    total_cost_usdc: decimalText(boughtCost),
    realized_pnl_usdc: decimalText(realized),
    realized_payout_usdc: decimalText(sumOf(redeemed.map(({ payout }) => payout))),
    status: result === undefined ? openStatusOf(position) : statusOf(numerator, denominator),
    redeemable: result !== undefined && numerator > 0n && balance > 0n,
    legs_total: combo?.legs.length,
    legs_resolved: decided,
    last_activity_at: isoTime(lastSec),
    resolved_at: result === undefined ? null : isoTime(result.timeSec),
  }
}

/** What a share of the token is paid, and since when. */
function resultOf(model: Model, token: string): ComboResult | undefined {
  const combo = comboOf(model, token)
  const result = combo && comboResultOf(model, combo)
  if (result === undefined || model.tokens.get(token)?.outcome === 0) return result
  const [numerator, denominator] = result.payout
  return { ...result, payout: [denominator - numerator, denominator] }
}

function openStatusOf({ balance, bought }: ModelPosition): string {
  if (balance === 0n) return 'closed'
  return bought === 0n ? 'observed' : 'open'
}

function statusOf(numerator: bigint, denominator: bigint): string {
  if (numerator === 0n) return 'RESOLVED_LOSS'
  return numerator === denominator ? 'RESOLVED_WIN' : 'RESOLVED_PARTIAL'
}

async function compareTradesOf(comparison: Comparison, wallet: string): Promise<void> {
  const { model } = comparison
  const path = `/v3/wallets/${wallet}/combos/trades`
  const found = await comparison.walk(path, 'trades')
  if (found === undefined) return
  const own = model.fills.filter(
    ({ isCombo, maker, taker }) => isCombo && (maker === wallet || taker === wallet),
  )
  const expected = own.map((fill) => tradeRow(model, fill, wallet)).reverse()
  comparison.rows(path, found, expected, { key: ['tx_hash', 'log_index'] })
}

function tradeRow(model: Model, fill: ModelFill, wallet: string): Row {
  const isOwner = fill.maker === wallet
  return {
    wallet_role: isOwner ? 'maker' : 'taker',
    wallet_address: wallet,
    counterparty_address: isOwner ? fill.taker : fill.maker,
    combo_condition_id: comboOf(model, fill.token)?.conditionId,
    position_id: fill.token,
    side: fill.isSell ? 'SELL' : 'BUY',
    is_taker_order: isTakerOrder(fill),
    price: priceOf(fill.usd, fill.shares).toFixed(4),
    size: decimalText(fill.shares),
    fee: decimalText(fill.fee),
    tx_hash: fill.txHash,
    log_index: fill.logIndex,
    block_number: fill.block,
    timestamp: fill.timeSec,
  }
}

async function compareActivityOf(comparison: Comparison, wallet: string): Promise<void> {
  const path = `/v3/wallets/${wallet}/combos/activity`
  const found = await comparison.walk(path, 'activity')
  const own = comparison.model.comboRedemptions.filter((each) => each.wallet === wallet)
  if (found !== undefined) compareRedemptions(comparison, path, found, own)
}

/** Wallets of a universe do nothing else with combos; what an exchange makes for a match is not listed. */
function compareRedemptions(
  comparison: Comparison,
  where: string,
  found: readonly Row[],
  own: readonly ModelComboRedemption[],
): void {
  const expected = own.map(
    (redemption): Row => ({
      event_kind: 'PositionRedeemed',
      side: 'Redeem',
      wallet_address: redemption.wallet,
      combo_condition_id: redemption.token.of.conditionId,
      combo_position_id: redemption.token.decimal,
      amount_usdc: decimalText(redemption.amount),
      payout_usdc: decimalText(redemption.payout),
      tx_hash: redemption.txHash,
      log_index: redemption.logIndex,
      block_number: redemption.block,
      timestamp: redemption.timeSec,
    }),
  )
  comparison.rows(where, found, expected.reverse(), { key: ['tx_hash', 'log_index'] })
}

async function compareMarkets(comparison: Comparison): Promise<void> {
  const { model } = comparison
  const path = '/v3/combos/markets'
  const found = await comparison.walk(path, 'markets')
  if (found === undefined) return
  const combos = model.transactions.flatMap(({ act }) => (act.kind === 'prepareCombo' ? [act.combo] : []))
  const expected = marketRows(model, combos)
  comparison.rows(path, found, expected, { key: ['combo_condition_id'], isOrdered: false })
}

function marketRows(model: Model, combos: readonly Combo[]): Row[] {
  const ofToken = ({ token }: { token: string }) => comboOf(model, token)
  const took = groupBy(model.fills.filter(isTakerOrder), ofToken)
  const positions = groupBy(model.positions, ofToken)
  const redeemed = groupBy(model.comboRedemptions, ({ token }) => token.of)
  const given = model.transactions.flatMap(({ act }) => (act.kind === 'transfer' ? act.shares : []))
  const gifts = groupBy(given, ({ token }) => token.of)
  return combos.map((combo): Row => {
    const matches = took.get(combo) ?? []
    const redemptions = redeemed.get(combo)?.length ?? 0
    const result = comboResultOf(model, combo)
    const shares = sumOf((positions.get(combo) ?? []).map(({ balance }) => balance))
    const open = shares > 0n ? 'open' : matches.length > 0 ? 'closed' : 'observed'
    return {
      combo_condition_id: combo.conditionId,
      status: result === undefined ? open : statusOf(...result.payout),
      observed_execution_count: matches.length,
      observed_redeem_count: redemptions,
      observed_lifecycle_count: redemptions,
      observed_transfer_count: gifts.get(combo)?.length ?? 0,
      volume_usdc: decimalText(sumOf(matches.map(({ usd }) => usd))),
    }
  })
}

/** Of all time, by what was realized, as of the block that the board says it knows. */
async function compareBoard(comparison: Comparison): Promise<void> {
  const path = '/v3/combos/leaderboard'
  const query = { sort_by: 'realized_pnl', limit: BOARD_LIMIT }
  const found: Row[] = []
  let asOfSec = 0
  for (let hasMore = true; hasMore; ) {
    const page = await comparison.get(path, { ...query, offset: found.length })
    if (page === undefined) return
    found.push(...(page.data as Row[]))
    hasMore = page.has_more === true
    asOfSec = Date.parse(String(page.as_of)) / 1000
  }
  const where = requestOf(path, query)
  const model = comparison.asOf(where, asOfSec)
  const bought = comboPositions(model).filter((position) => position.bought > 0n)
  const expected = [...groupBy(bought, ({ wallet }) => wallet)].map(([wallet, own]) => {
    const realized = sumOf(own.map((position) => position.realized))
    return { wallet_address: wallet, realized_pnl: decimalText(realized), position_count: own.length }
  })
  comparison.rows(where, found, expected, { key: ['wallet_address'], isOrdered: false })
  comparison.descending(
    where,
    found.map(({ realized_pnl }) => BigInt(String(realized_pnl).replace('.', ''))),
  )
}

const isoTime = (timeSec: number): string => new Date(timeSec * 1000).toISOString()
