import { type Static, Type } from 'typebox'
import { V3 } from '../../accounts/access.js'
import { badRequest, unavailable } from '../../core/errors.js'
import { toDecimalText } from '../../core/money.js'
import { parseUtcDay, toIsoTime, utcDay } from '../../core/unix-time.js'
import { defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { oneOf, UtcDate } from '../../http/parameters.js'
import { Day, DecimalText, IntegerText, UtcText } from '../../http/row-fields.js'
import { namedObject } from '../../lib/named-object.js'
import { type ComboDayRow, type DayRange, selectComboDays, selectComboDaysState } from './queries.js'

const Count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description !== undefined && { description }) })
const Sentence = (said: string) => Type.Literal(said)

const SHARES = 'Shares of the orders that took: each match counts once.'
const SIDES = 'Buy or sell is what the signed order that took does.'
const FILLS = 'Matches, counted by the order that took.'
const LIFECYCLE =
  'Logs that split, merge, convert, redeem or transform combos; preparations are counted apart.'
const TRANSFERS = 'Transfers of positions in combos that no other log explains.'
const REDEMPTIONS =
  'Full and partial redemptions, as /v3/combos/redemptions lists them; transformations are counted apart.'

const ComboDay = namedObject('ComboDay', {
  date: Day(),
  complete: Type.Boolean({ description: 'all of the day is booked' }),
  fill_count: Count(),
  signed_order_buy_fill_count: Count(),
  signed_order_sell_fill_count: Count(),
  lifecycle_count: Count(),
  prepare_event_count: Count(),
  prepared_combo_count: Count('combos that were prepared for the first time'),
  split_count: Count(),
  merge_count: Count(),
  redeem_event_count: Count(),
  mapped_transfer_count: Count(),
  exact_redemption_count: Count('full and partial ones'),
  full_redemption_count: Count(),
  partial_redemption_count: Count(),
  transformation_count: Count(),
  share_volume: DecimalText('shares, 6 decimals'),
  share_volume_e6: IntegerText('millionths'),
  signed_order_buy_share_volume: DecimalText('shares, 6 decimals'),
  signed_order_buy_share_volume_e6: IntegerText('millionths'),
  signed_order_sell_share_volume: DecimalText('shares, 6 decimals'),
  signed_order_sell_share_volume_e6: IntegerText('millionths'),
})

const ComboDays = namedObject('ComboDays', {
  start_date: Day(),
  end_date: Day(),
  interval: Type.Literal('day'),
  timezone: Type.Literal('UTC'),
  coverage_start: Day('the first day of which blocks are here'),
  complete_through: Day('the last day that is booked in full'),
  as_of: UtcText({ description: 'ISO 8601' }),
  as_of_block: Count(),
  share_volume_unit: Type.Literal('shares'),
  share_volume_semantics: Sentence(SHARES),
  side_semantics: Sentence(SIDES),
  count_semantics: Type.Object({
    fills: Sentence(FILLS),
    lifecycle: Sentence(LIFECYCLE),
    transfers: Sentence(TRANSFERS),
    exact_redemptions: Sentence(REDEMPTIONS),
  }),
  days: Type.Array(ComboDay, { description: 'oldest first, those without activity too' }),
})

const DAY_MS = 86_400_000
const DAYS_MAX = 366
const PERIODS = { '1d': 1, '7d': 7, '30d': 30 } as const

const Query = Type.Object({
  period: Type.Optional(oneOf(['1d', '7d', '30d'], 'days up to today; 30d when no dates are given')),
  start_date: Type.Optional(UtcDate),
  end_date: Type.Optional(UtcDate),
  interval: oneOf(['day'], 'the only one', { default: 'day' }),
})

/** Throws a 400 for dates that are none, that do not fit together, or that are too many. */
export function resolveDayRange(query: Static<typeof Query>, nowMs: number): DayRange {
  const { period, start_date, end_date } = query
  const today = Math.floor(nowMs / DAY_MS)
  if (period !== undefined && (start_date ?? end_date) !== undefined) {
    throw badRequest('Invalid range: give either period or start_date and end_date.')
  }
  const last = end_date === undefined ? today : dayOf('end_date', end_date)
  const first =
    start_date === undefined ? last - PERIODS[period ?? '30d'] + 1 : dayOf('start_date', start_date)
  if (first > last) throw badRequest('Invalid range: start_date must not be later than end_date.')
  if (last - first >= DAYS_MAX)
    throw badRequest(`Invalid range: from start_date to end_date are at most ${DAYS_MAX} days.`)
  return { first, last }
}

function dayOf(name: string, text: string): number {
  const ms = parseUtcDay(text)
  if (ms === undefined)
    throw badRequest(`Invalid ${name}: there is no such day; leave out \`${name}\` for the last 30 days`)
  return ms / DAY_MS
}

const toDate = (day: number): string => utcDay(day * DAY_MS)

function presentDay(counts: ComboDayRow, headSec: number): Static<typeof ComboDay> {
  const { day, buyFills, sellFills, buyShares, sellShares, fullRedemptions, partialRedemptions } = counts
  return {
    date: toDate(day),
    complete: (day + 1) * (DAY_MS / 1000) <= headSec,
    fill_count: Number(buyFills + sellFills),
    signed_order_buy_fill_count: Number(buyFills),
    signed_order_sell_fill_count: Number(sellFills),
    lifecycle_count: Number(counts.lifecycle),
    prepare_event_count: Number(counts.prepares),
    prepared_combo_count: Number(counts.prepared),
    split_count: Number(counts.splits),
    merge_count: Number(counts.merges),
    redeem_event_count: Number(counts.redeems),
    mapped_transfer_count: Number(counts.transfers),
    exact_redemption_count: Number(fullRedemptions + partialRedemptions),
    full_redemption_count: Number(fullRedemptions),
    partial_redemption_count: Number(partialRedemptions),
    transformation_count: Number(counts.transformations),
    share_volume: toDecimalText(buyShares + sellShares),
    share_volume_e6: `${buyShares + sellShares}`,
    signed_order_buy_share_volume: toDecimalText(buyShares),
    signed_order_buy_share_volume_e6: `${buyShares}`,
    signed_order_sell_share_volume: toDecimalText(sellShares),
    signed_order_sell_share_volume_e6: `${sellShares}`,
  }
}

const comboDays = defineAnswer({
  path: '/v3/combos/activity/daily',
  operationId: 'listCombosByDay',
  summary: 'What happened in combos, day by day',
  description: `Counts of all combos for each UTC day, oldest first, at most ${DAYS_MAX} days. They are at most a minute old.`,
  tag: 'combos',
  access: V3,
  query: Query,
  reply: ComboDays,
  answer: async ({ sql, nowMs }, input): Promise<Static<typeof ComboDays>> => {
    const range = resolveDayRange(input, nowMs)
    const [state] = await selectComboDaysState(sql)
    if (state?.headBlock == null) throw unavailable('The days of combos are not counted yet.')
    const { fromSec, headBlock, headSec } = state
    const rows = await selectComboDays(sql, range)
    return {
      start_date: toDate(range.first),
      end_date: toDate(range.last),
      interval: 'day',
      timezone: 'UTC',
      coverage_start: utcDay(fromSec * 1000),
      complete_through: toDate(Math.floor((headSec * 1000) / DAY_MS) - 1),
      as_of: toIsoTime(headSec),
      as_of_block: headBlock,
      share_volume_unit: 'shares',
      share_volume_semantics: SHARES,
      side_semantics: SIDES,
      count_semantics: {
        fills: FILLS,
        lifecycle: LIFECYCLE,
        transfers: TRANSFERS,
        exact_redemptions: REDEMPTIONS,
      },
      days: rows.map((row) => presentDay(row, headSec)),
    }
  },
})

export const comboDayRoutes = endpointRoutes([comboDays])
