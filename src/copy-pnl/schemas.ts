import { type TSchema, Type } from 'typebox'
import { Address, oneOf, UnixSeconds } from '../http/parameters.js'
import { TradeSideField } from '../http/row-fields.js'
import { ERROR_TEXT } from '../http/validation.js'
import { namedObject } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'
import { COPY_SORTS } from './leaderboard.js'
import { BATCH_ADDRESSES_MAX, POOL_ADDRESSES_MAX } from './read-body.js'
import { BAD_PERIOD, BAD_SLIPPAGE, COPY_PERIODS } from './window.js'

const Count = (description: string) => Type.Integer({ minimum: 0, description })
const Money = (description: string) => Type.Number({ description })
const Seconds = (description: string) => Type.Integer({ description })

const Period = oneOf(COPY_PERIODS, 'the last days, up to now', {
  title: 'CopyPeriod',
  default: '30d',
})

const addressesOf = (max: number) =>
  Type.Array(Address, { minItems: 1, maxItems: max, description: 'wallets; each counts once' })

export const PoolBody = Type.Object({ addresses: addressesOf(POOL_ADDRESSES_MAX) })

export const AddReply = Type.Object({
  added: Count('wallets that were not in the pool'),
  already_tracked: Count('wallets that were'),
  total: Count('wallets in the pool now'),
  max: Count('wallets that a pool can have'),
  capped: Type.Boolean({ description: 'some did not fit' }),
  refresh_kicked: Count('wallets that are scored at once'),
  hint: Type.Optional(Type.String({ description: 'how many did not fit; only when capped' })),
})

export const RemoveReply = Type.Object({
  removed: Count('wallets that were in the pool'),
  total: Count('wallets that are left'),
  max: Count('wallets that a pool can have'),
})

export const WalletsReply = Type.Object({
  wallets: Type.Array(Type.String(), { description: 'in the order of their addresses' }),
  count: Count('wallets in the pool'),
  max: Count('wallets that a pool can have'),
})

const ScoreFields = {
  actual_pnl_usdc: Money('what the wallet got less what it paid'),
  backtest_copy_pnl_usdc: Money('the same for a copier who trades at worse prices'),
  slippage_amount_usdc: Money('the difference, never negative'),
  slippage_cost_rate_pct: nullable(
    Type.Number(),
    'the difference in percent of the P&L; null when that is below a dollar',
  ),
  toxic_for_copying: Type.Boolean({ description: 'the rate is above 15' }),
  trade_count: Count('fills in the window'),
  partial: Type.Boolean({ description: 'the time was over before the whole window was read' }),
  computed_at: Seconds('Unix seconds of the walk that gave this score'),
}

const Score = namedObject('CopyPnlScore', ScoreFields)

export const SnapshotQuery = Type.Object({
  periods: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: `^(${COPY_PERIODS.join('|')})( *, *(${COPY_PERIODS.join('|')}))*$`,
      description: `some of ${COPY_PERIODS.join(', ')}, with commas between them; all by default`,
      examples: ['7d,30d'],
      [ERROR_TEXT]: BAD_PERIOD,
    }),
  ),
})

const LastRefresh = nullable(
  Seconds('Unix seconds'),
  'since when every wallet that was ever scored was refreshed; null: none was yet',
)

const Failure = namedObject('CopyPnlFailure', {
  error: Type.String({ description: 'such as `timeout_180s`' }),
  ts: Seconds('Unix seconds'),
})

export const SnapshotReply = namedObject('CopyPnlSnapshot', {
  total_in_pool: Count('wallets in the pool'),
  scored_any: Count('wallets with a score for one of the periods'),
  errored_any: Count('wallets whose last walk failed'),
  pending_any: Count('wallets with neither'),
  periods: Type.Array(Type.String()),
  last_refresh: LastRefresh,
  wallets: Type.Array(
    namedObject('CopyPnlSnapshotRow', {
      wallet: Type.String(),
      periods: Type.Partial(
        Type.Object(Object.fromEntries(COPY_PERIODS.map((period) => [period, nullable(Score)]))),
      ),
      error: Type.Optional(Failure),
    }),
    { description: 'in the order of their addresses' },
  ),
})

export const BoardParameters = Type.Object({
  period: Period,
  sort_by: oneOf(COPY_SORTS, 'the value that ranks; wallets without it are last', {
    default: 'backtest_copy_pnl_usdc',
  }),
  order: Type.Unsafe<'asc' | 'desc'>(
    Type.String({
      enum: ['asc', 'desc'],
      default: 'desc',
      description: '`desc` has the largest value first',
      [ERROR_TEXT]: 'Invalid order. Allowed: asc or desc',
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
  offset: Type.Integer({ minimum: 0, default: 0, description: 'rows that are left out' }),
  min_trade_count: Type.Integer({
    minimum: 0,
    default: 0,
    description: 'leaves out wallets with fewer fills in the window',
  }),
  exclude_toxic: Type.Boolean({
    default: false,
    description: 'leaves out wallets whose rate is above 15',
  }),
})

export const CopyBoardReply = namedObject('CopyPnlLeaderboard', {
  period: Type.String(),
  sort_by: Type.String(),
  order: Type.String(),
  filters: Type.Object({ min_trade_count: Type.Integer(), exclude_toxic: Type.Boolean() }),
  total_in_pool: Count('wallets in the pool'),
  scored: Count('wallets with a score for the period, whose last walk succeeded'),
  filtered_in: Count('those of them that pass the filters'),
  pending: Count('wallets without a score for the period yet'),
  errored: Count('wallets whose last walk failed'),
  offset: Type.Integer(),
  limit: Type.Integer(),
  last_refresh: LastRefresh,
  results: Type.Array(
    namedObject('CopyPnlLeaderboardRow', {
      local_rank: Type.Integer({ minimum: 1 }),
      wallet: Type.String(),
      ...ScoreFields,
    }),
  ),
  errored_sample: Type.Optional(
    Type.Array(namedObject('CopyPnlFailedWallet', { wallet: Type.String(), ...Failure.properties }), {
      maxItems: 10,
    }),
  ),
  pending_sample: Type.Optional(Type.Array(Type.String(), { maxItems: 10 })),
})

const TIME_PATTERN = '^([0-9]{1,16}|[0-9]{4}-[0-9]{2}-[0-9]{2})$'
const time = (name: string, description: string) =>
  Type.String({
    pattern: TIME_PATTERN,
    description,
    examples: ['2026-11-01'],
    [ERROR_TEXT]: `Invalid ${name}: give a day as 2026-11-16 or Unix seconds.`,
  })

const SLIPPAGE = 'how much worse the prices of the copier are: percent from 0 to 100, with at most 2 decimals'

const WindowFields = {
  from: Type.Optional(
    time('from', 'when the window begins: a day, from its midnight in UTC on, or Unix seconds'),
  ),
  to: Type.Optional(time('to', 'when it ends, included; now by default')),
}

export const ScoreParameters = Type.Object({
  period: { ...Period, description: 'the last days; `from` and `to` go before it' },
  ...WindowFields,
  include_trades: Type.Boolean({ default: false, description: 'adds the fills, newest first' }),
  slippage: Type.String({
    pattern: '^(100(\\.0{1,2})?|[0-9]{1,2}(\\.[0-9]{1,2})?)$',
    default: '2',
    description: SLIPPAGE,
    [ERROR_TEXT]: BAD_SLIPPAGE,
  }),
})

/** A number where the query has text; `readBatchBody` makes it text again. */
const numberOr = (text: TSchema) => Type.Optional(Type.Unsafe<string>(text))

export const BatchScoreBody = Type.Object({
  addresses: addressesOf(BATCH_ADDRESSES_MAX),
  from: numberOr(Type.Union([UnixSeconds, WindowFields.from])),
  to: numberOr(Type.Union([UnixSeconds, WindowFields.to])),
  include_trades: Type.Optional(Type.Boolean()),
  slippage: numberOr(Type.Number({ minimum: 0, maximum: 100, description: `${SLIPPAGE}; 2 by default` })),
})

export const ScorePath = Type.Object({ wallet: Address })

const CopiedTrade = namedObject('CopiedTrade', {
  ts: Seconds('Unix seconds'),
  side: TradeSideField(),
  price: Type.Number(),
  shares: Type.Number(),
  actual_usd: Money('what the wallet paid or got'),
  backtest_usd: Money('what a copier pays or gets'),
})

export const WalletScoreReply = namedObject('CopyPnl', {
  wallet: Type.String(),
  total_realized_pnl_usdc: Money('what positions realized in the window, by their weighted average cost'),
  ...ScoreFields,
  positions_closed: Count('positions that realized something in the window and have no shares now'),
  avg_entry_prob_weighted: nullable(
    Type.Number(),
    'average entry price, weighted by what each position realized either way; null below a dollar',
  ),
  avg_hold_seconds_weighted: Type.Null({ description: 'not computed' }),
  pnl_definition: Type.Literal('cashflow'),
  applied_filters: namedObject('CopyPnlFilters', {
    from: Seconds('Unix seconds, included'),
    to: Seconds('Unix seconds, included'),
    window_days: nullable(Type.Integer(), 'days of the period; null with `from` or `to`'),
    slippage: Type.Number({ description: 'percent' }),
  }),
  sources: namedObject('CopyPnlSources', {
    window_trades: Count('fills'),
    window_activity: Count('redemptions, merges, splits and conversions'),
    activity_breakdown: Type.Object({
      redemption: Type.Integer(),
      merge: Type.Integer(),
      split: Type.Integer(),
      conversion: Type.Integer(),
    }),
    cashflow_breakdown: Type.Object({
      actual_buy_cost: Money('paid in fills'),
      actual_sell_rev: Money('received in fills'),
      settlement_in: Money('received by redemptions, merges and conversions'),
      settlement_out: Money('paid for splits'),
    }),
    fetch_ms: Count('how long it took'),
  }),
  trades: Type.Optional(Type.Array(CopiedTrade)),
  trades_truncated: Type.Optional(Type.Boolean({ description: 'the window has more fills than are listed' })),
})

export const BatchScoreReply = namedObject('CopyPnlBatch', {
  count: Count('wallets in the answer'),
  results: Type.Array(
    Type.Union([
      WalletScoreReply,
      Type.Object(
        { wallet: Type.String(), error: Type.String() },
        { title: 'CopyPnlRefusal', description: 'it failed' },
      ),
    ]),
  ),
})
