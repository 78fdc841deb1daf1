import { Type } from 'typebox'
import { nullable } from '../lib/nullable.js'

const Shares = nullable(
  Type.String({ description: 'shares, each counted as one dollar' }),
  'null while `stats_pending`',
)
const Millionths = (description: string) => Type.String({ description })
const When = nullable(Type.String({ description: '`2026-01-31 12:00:00+00`' }))

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
export const VolumeMeaning = {
  volume_scope: Type.Literal('clob_v2_onchain'),
  volume_semantics: Type.Literal('outcome_share_par_notional'),
}

const BuilderFields = {
  builder: Type.String({ description: 'the code again' }),
  ...ProfileFields,
  fill_count: Type.Integer({ minimum: 0 }),
  first_fill: nullable(Type.String({ description: 'Unix seconds' })),
  last_fill: nullable(Type.String({ description: 'Unix seconds' })),
  volume_e6: Shares,
  volume: Shares,
  volume_usdc: Shares,
  buy_volume_e6: Shares,
  buy_volume: Shares,
  buy_volume_usdc: Shares,
  sell_volume_e6: Shares,
  sell_volume: Shares,
  sell_volume_usdc: Shares,
  ...VolumeMeaning,
  total_maker_volume: Millionths('what the owners of orders gave: money and shares in one sum'),
  total_maker_volume_usdc: Type.String(),
  total_taker_volume: Millionths('what they received'),
  total_taker_volume_usdc: Type.String(),
  total_fees: Millionths('paid by traders'),
  total_fees_usdc: Type.String(),
  external_rank: nullable(Type.Integer(), "on the platform's own board"),
  external_volume: nullable(Type.String({ description: 'shares' })),
  external_active_users: nullable(Type.Integer()),
  source: Type.String(),
  stats_pending: Type.Boolean({ description: 'the builder has a profile and no fills here' }),
  stats_refreshed_at: When,
  stats_checked_at: When,
}

export const RankedBuilder = Type.Object({
  rank: Type.Integer({ minimum: 1 }),
  ...BuilderFields,
})

export const Builder = Type.Object({
  ...BuilderFields,
  fee_semantics: Type.String(),
  stats_source: nullable(Type.String()),
})

const Day = {
  date: Type.String({ description: 'UTC' }),
  timestamp: Type.Integer({ description: 'Unix seconds of its beginning' }),
}

const DayFigures = {
  fill_count: Type.Integer({ minimum: 0 }),
  volume: Type.String({ description: 'shares' }),
  buy_volume: Type.String(),
  sell_volume: Type.String(),
  fees_usdc: Type.String(),
  active_wallets: Type.Integer({ minimum: 0, description: 'owners of orders' }),
  new_wallets: Type.Integer({
    minimum: 0,
    description: 'whose first fill with the builder it was',
  }),
}

export const DayOfBuilders = Type.Object({ ...Day, ...DayFigures })

export const DayOfBuilder = Type.Object({
  ...Day,
  builder_code: Type.String(),
  builder_name: nullable(Type.String()),
  ...DayFigures,
})

export const RankedTrader = Type.Object({
  rank: Type.Integer({ minimum: 1 }),
  wallet: Type.String(),
  trader_address: Type.String({ description: 'the wallet again' }),
  volume_e6: Type.String({ description: 'millionths of shares traded through the builder' }),
  volume: Type.String(),
  buy_volume_e6: Type.String(),
  buy_volume: Type.String(),
  sell_volume_e6: Type.String(),
  sell_volume: Type.String(),
  trades: Type.Integer({ minimum: 0 }),
  trader_paid_fees_e6: Type.String(),
  trader_paid_fees: Type.String(),
  active_days: Type.Integer({ minimum: 0 }),
  first_activity_at: Type.Integer({ description: 'Unix seconds' }),
  last_activity_at: Type.Integer({ description: 'Unix seconds' }),
})

export const RankedTraderWithPnl = Type.Object({
  ...RankedTrader.properties,
  realized_pnl: Type.String({ description: 'of all trades of the wallet' }),
  unrealized_pnl: nullable(Type.String(), 'null for a rolling period'),
  total_pnl: nullable(Type.String(), 'null for a rolling period'),
})

export const BoardEnvelope = {
  ...ProfileFields,
  period: Type.String(),
  sort: Type.String(),
  order: Type.String(),
  window: Type.Object({
    start_date: nullable(Type.String(), 'null: from the beginning'),
    end_date: Type.String(),
    complete_through: Type.String({ description: 'the last day that is over' }),
  }),
  coverage: Type.Object({
    start_date: nullable(Type.String()),
    end_date: nullable(Type.String()),
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
