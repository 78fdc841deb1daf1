import type { ModelFill } from '../../trades/fill-model.js'
import type { Model } from '../model/read-model.js'
import { type Comparison, type Row, requestOf } from './comparison.js'
import { byCount, groupBy } from './group-by.js'
import { decimalText, sumOf } from './numbers.js'
import { NO_BUILDER } from './trades.js'
import { marketSteps } from './wallets.js'

const DAY_SEC = 86_400
const BOARD_LIMIT = 100

/** What was traded through builders: in all, by day and by wallet. */
export async function compareBuilders(comparison: Comparison): Promise<void> {
  const { model } = comparison
  const fills = builderFills(model)
  const builders = byCount(fills.map(({ builder }) => builder))
  await compareList(comparison, fills, builders)
  await compareDays(comparison, '/v3/builders/activity/daily', fills)
  for (const builder of builders.slice(0, 2)) {
    const own = fills.filter((fill) => fill.builder === builder)
    const path = `/v3/builders/${builder}`
    const answer = await comparison.get(path)
    if (answer !== undefined) comparison.same(path, answer, builderRow(builder, own))
    await compareDays(comparison, `${path}/activity/daily`, own)
    await comparison.eventually(() => compareBoard(comparison, builder))
  }
}

/** Of makers and takers, without combos. */
const builderFills = ({ fills }: Model): ModelFill[] =>
  fills.filter(({ builder, isCombo }) => builder !== NO_BUILDER && !isCombo)

/** Builders that no fill names are there too, with their profile alone. */
async function compareList(
  comparison: Comparison,
  fills: readonly ModelFill[],
  builders: readonly string[],
): Promise<void> {
  const path = '/v3/builders'
  const found = await comparison.walk(path, 'builders')
  if (found === undefined) return
  const traded = found.filter(({ stats_pending }) => stats_pending !== true)
  const expected = builders.map((builder) =>
    builderRow(
      builder,
      fills.filter((fill) => fill.builder === builder),
    ),
  )
  comparison.rows(path, traded, expected, { key: ['builder_code'], isOrdered: false })
  comparison.descending(
    path,
    traded.map(({ fill_count }) => BigInt(Number(fill_count))),
  )
}

function builderRow(builder: string, own: readonly ModelFill[]): Row {
  const { bought, sold, fees } = sumsOf(own)
  const paid = sumOf(own.filter(({ isSell }) => !isSell).map(({ usd }) => usd))
  const earned = sumOf(own.filter(({ isSell }) => isSell).map(({ usd }) => usd))
  return {
    builder_code: builder,
    fill_count: own.length,
    first_fill: `${own[0]?.timeSec}`,
    last_fill: `${own.at(-1)?.timeSec}`,
    volume_e6: `${bought + sold}`,
    buy_volume_e6: `${bought}`,
    sell_volume_e6: `${sold}`,
    volume: decimalText(bought + sold),
    total_maker_volume: `${paid + sold}`,
    total_taker_volume: `${bought + earned}`,
    total_fees: `${fees}`,
    stats_pending: false,
  }
}

async function compareDays(comparison: Comparison, path: string, fills: readonly ModelFill[]): Promise<void> {
  const query = { after: 1, before: comparison.model.head.timeSec }
  const found = await comparison.walk(path, 'data', query)
  if (found === undefined) return
  const days = [...new Set(fills.map(({ timeSec }) => Math.floor(timeSec / DAY_SEC)))].sort((a, b) => b - a)
  const expected = days.map((day) => dayRow(day, fills))
  comparison.rows(requestOf(path, query), found, expected, { key: ['timestamp'] })
}

/** A wallet that used two builders on a day counts twice. */
function dayRow(day: number, fills: readonly ModelFill[]): Row {
  const own = fills.filter(({ timeSec }) => Math.floor(timeSec / DAY_SEC) === day)
  const users = (some: readonly ModelFill[]) =>
    new Set(some.map(({ builder, maker }) => `${builder} ${maker}`))
  const before = users(fills.filter(({ timeSec }) => timeSec < day * DAY_SEC))
  const { bought, sold, fees } = sumsOf(own)
  const active = users(own)
  return {
    timestamp: day * DAY_SEC,
    date: new Date(day * DAY_SEC * 1000).toISOString().slice(0, 10),
    fill_count: own.length,
    volume: decimalText(bought + sold),
    buy_volume: decimalText(bought),
    sell_volume: decimalText(sold),
    fees_usdc: decimalText(fees),
    active_wallets: active.size,
    new_wallets: [...active].filter((user) => !before.has(user)).length,
  }
}

/** The board of all time says at which block it was made; profits are those of the whole wallet. */
async function compareBoard(comparison: Comparison, builder: string): Promise<void> {
  const path = `/v3/builders/${builder}/leaderboard`
  const query = { sort: 'realized_pnl', pagination: 'cursor' }
  const list = await comparison.list(path, 'data', query, BOARD_LIMIT)
  if (list === undefined) return
  const { rows: found, first } = list
  const where = requestOf(path, query)
  const model = comparison.asOf(where, Date.parse(String(first.as_of)) / 1000)
  const own = builderFills(model).filter((fill) => fill.builder === builder)
  const steps = groupBy(marketSteps(model), ({ wallet }) => wallet)
  const expected = [...groupBy(own, ({ maker }) => maker)].map(([wallet, fills]) => {
    const { bought, sold, fees } = sumsOf(fills)
    const realized = sumOf((steps.get(wallet) ?? []).map(({ amount }) => amount))
    return {
      wallet,
      volume_e6: `${bought + sold}`,
      buy_volume_e6: `${bought}`,
      sell_volume_e6: `${sold}`,
      trades: fills.length,
      trader_paid_fees_e6: `${fees}`,
      active_days: new Set(fills.map(({ timeSec }) => Math.floor(timeSec / DAY_SEC))).size,
      first_activity_at: fills[0]?.timeSec,
      last_activity_at: fills.at(-1)?.timeSec,
      realized_pnl: decimalText(realized),
    }
  })
  comparison.rows(where, found, expected, { key: ['wallet'], isOrdered: false })
  comparison.descending(
    where,
    found.map(({ realized_pnl }) => BigInt(String(realized_pnl).replace('.', ''))),
  )
}

const sumsOf = (fills: readonly ModelFill[]) => ({
  bought: sumOf(fills.filter(({ isSell }) => !isSell).map(({ shares }) => shares)),
  sold: sumOf(fills.filter(({ isSell }) => isSell).map(({ shares }) => shares)),
  fees: sumOf(fills.map(({ fee }) => fee)),
})
