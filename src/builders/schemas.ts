import { Type } from 'typebox'
import { Day, DecimalText, IntegerText, SecondsText, UnixTime, UtcText } from '../http/row-fields.js'
import { namedObject } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'

const PENDING = 'null while `stats_pending`'
const Shares = nullable(DecimalText('shares, each counted as one dollar'), PENDING)
const ShareMillionths = nullable(IntegerText('millionths of shares'), PENDING)
const When = nullable(UtcText({ description: '`2026-01-31 12:00:00+00`' }))

export const BuilderRef = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000]*$',
  description: "a builder's code, with or without 0x, or its exact public name",
})

/** A builder as the public knows it. */
export const ProfileFields = {
  builder_code: Type.String(),
  builder_name: nullable(Type.String()),
  builder_logo: nullable(Type.String()),
  builder_verified: nullable(Type.Boolean()),
}

/** What the volumes of builders mean, said in every answer that has some. */
const VolumeMeaning = {
  volume_scope: Type.Literal('clob_v2_onchain'),
  volume_semantics: Type.Literal('outcome_share_par_notional'),
}

const BuilderFields = {
  builder: Type.String({ description: 'the code again' }),
  ...ProfileFields,
  fill_count: Type.Integer({ minimum: 0 }),
  first_fill: nullable(SecondsText()),
  last_fill: nullable(SecondsText()),
  volume_e6: ShareMillionths,
  volume: Shares,
  volume_usdc: Shares,
  buy_volume_e6: ShareMillionths,
  buy_volume: Shares,
  buy_volume_usdc: Shares,
  sell_volume_e6: ShareMillionths,
  sell_volume: Shares,
  sell_volume_usdc: Shares,
  ...VolumeMeaning,
  total_maker_volume: IntegerText('what the owners of orders gave: money and shares in one sum'),
  total_maker_volume_usdc: DecimalText(),
  total_taker_volume: IntegerText('what they received'),
  total_taker_volume_usdc: DecimalText(),
  total_fees: IntegerText('paid by traders'),
  total_fees_usdc: DecimalText(),
  external_rank: nullable(Type.Integer(), "on the platform's own board"),
  external_volume: nullable(DecimalText('shares')),
  external_active_users: nullable(Type.Integer()),
  source: Type.String(),
  stats_pending: Type.Boolean({ description: 'the builder has a profile and no fills here' }),
  stats_refreshed_at: When,
  stats_checked_at: When,
}

export const RankedBuilder = namedObject('RankedBuilder', {
  rank: Type.Integer({ minimum: 1 }),
  ...BuilderFields,
})

export const Builder = namedObject('Builder', {
  ...BuilderFields,
  fee_semantics: Type.String(),
  stats_source: nullable(Type.String()),
})

const DayFields = {
  date: Day(),
  timestamp: UnixTime('Unix seconds of its beginning'),
}

const DayFigures = {
  fill_count: Type.Integer({ minimum: 0 }),
  volume: DecimalText('shares'),
  buy_volume: DecimalText(),
  sell_volume: DecimalText(),
  fees_usdc: DecimalText(),
  active_wallets: Type.Integer({ minimum: 0, description: 'owners of orders' }),
  new_wallets: Type.Integer({
    minimum: 0,
    description: 'whose first fill with the builder it was',
  }),
}

export const DayOfBuilders = namedObject('BuildersDay', { ...DayFields, ...DayFigures })

export const DayOfBuilder = namedObject('BuilderDay', {
  ...DayFields,
  builder_code: Type.String(),
  builder_name: nullable(Type.String()),
  ...DayFigures,
})

export const RankedTrader = namedObject('BuilderTrader', {
  rank: Type.Integer({ minimum: 1 }),
  wallet: Type.String(),
  trader_address: Type.String({ description: 'the wallet again' }),
  volume_e6: IntegerText('millionths of shares traded through the builder'),
  volume: DecimalText(),
  buy_volume_e6: IntegerText(),
  buy_volume: DecimalText(),
  sell_volume_e6: IntegerText(),
  sell_volume: DecimalText(),
  trades: Type.Integer({ minimum: 0 }),
  trader_paid_fees_e6: IntegerText(),
  trader_paid_fees: DecimalText(),
  active_days: Type.Integer({ minimum: 0 }),
  first_activity_at: UnixTime(),
  last_activity_at: UnixTime(),
})

export const RankedTraderWithPnl = namedObject('BuilderTraderWithPnl', {
  ...RankedTrader.properties,
  realized_pnl: DecimalText('of all trades of the wallet'),
  unrealized_pnl: nullable(DecimalText(), 'null for a rolling period'),
  total_pnl: nullable(DecimalText(), 'null for a rolling period'),
})

export const BoardEnvelope = {
  ...ProfileFields,
  period: Type.String(),
  sort: Type.String(),
  order: Type.String(),
  window: namedObject('BuilderBoardWindow', {
    start_date: Type.String({ description: 'of all time: the first day with data' }),
    end_date: Type.String(),
    complete_through: Type.String({ description: 'the last day that is over' }),
  }),
  coverage: namedObject('BuilderBoardCoverage', {
    start_date: Type.String({ description: 'today while there are no data' }),
    end_date: Type.String(),
    complete: Type.Boolean({ description: 'the window has no day from before the first one' }),
  }),
  as_of: Type.String({ description: 'ISO 8601' }),
  ...VolumeMeaning,
  fee_semantics: Type.String(),
  pnl_scope: Type.String(),
  cohort_wallet_count: Type.Optional(Type.Integer({ minimum: 0 })),
  eligible_wallet_count: Type.Optional(Type.Integer({ minimum: 0 })),
  pnl_as_of: Type.Optional(Type.String({ description: 'ISO 8601' })),
  pnl_semantics: Type.Optional(Type.String()),
}
