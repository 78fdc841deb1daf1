import { Type } from 'typebox'
import { MILLISECONDS_MIN } from '../core/unix-time.js'
import { Address, ConditionId, oneOf, Slug, UnixSeconds } from '../http/parameters.js'
import { namedObject } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'
import { PNL_PERIODS } from './pnl-scope.js'
import { PNL_GROUPS } from './queries.js'

const Money = (description: string) => Type.Number({ description })
const Count = (description: string) => Type.Integer({ minimum: 0, description })
const Seconds = (description: string) => Type.Integer({ description })

export const WalletPath = Type.Object({ address: Address })

export const IncludeCombos = Type.Boolean({
  default: false,
  description: 'adds combos to all totals and counts',
})

/** A time before the first second is moved to it. */
const After = Type.Integer({
  maximum: MILLISECONDS_MIN - 1,
  description: 'Unix seconds, included; goes before `period`',
  examples: [1793000000],
})

export const PnlTime = {
  period: Type.Optional(oneOf(PNL_PERIODS, 'the time up to now', { title: 'PnlPeriod' })),
  after: Type.Optional(After),
  before: Type.Optional(UnixSeconds),
}

const TAGS_PATTERN = '^[^\\u0000]*$'

export const PnlFilters = {
  category: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: TAGS_PATTERN,
      description: 'first tag of the event',
    }),
  ),
  tags: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: TAGS_PATTERN,
      description: 'tags with commas between them, at most 20; one of them is enough',
    }),
  ),
  tag_slug: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, pattern: TAGS_PATTERN, description: 'one tag' }),
  ),
  market: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      pattern: TAGS_PATTERN,
      description: 'the condition or the slug of a market',
    }),
  ),
  market_slug: Type.Optional(Slug),
  condition_id: Type.Optional(ConditionId),
  event_slug: Type.Optional(Slug),
}

export const PnlGroupParameter = oneOf(PNL_GROUPS, 'a week begins on Monday; all begin in UTC', {
  default: 'day',
})

/** The totals of a wallet. */
const totals = {
  net_realized_pnl: Money('dollars that sales, merges, redemptions and conversions realized'),
  gross_profit: Money('sum over the positions that won'),
  gross_loss: Money('sum over the positions that lost, at most 0'),
  unrealized_pnl: Money('what the shares that are held would add at their prices of now'),
  total_pnl: Money('realized and unrealized'),
  wins: Count('positions with a profit, unrealized profit included'),
  losses: Count('positions with a loss'),
  position_count: Count('positions ever held'),
  open_positions: Count('positions with shares, of resolved markets too'),
  total_volume: Money('shares ever bought'),
}

const ComboPnl = namedObject('ComboPnl', {
  position_type: Type.Literal('combo'),
  included: Type.Boolean({ description: 'false: the filters of the request leave combos out' }),
  realized_pnl: Money('what combos add to the totals'),
  unrealized_pnl: Money('the same'),
  total_pnl: Money('the same'),
  position_count: Count('the same'),
  open_positions: Count('the same'),
})

const combos = {
  include_combos: Type.Optional(Type.Literal(true)),
  included_position_types: Type.Optional(Type.Array(oneOf(['market', 'combo'], 'what counts'))),
  realized_pnl: Type.Optional(Money('net_realized_pnl again, or that of the window')),
  combo_pnl: Type.Optional(ComboPnl),
}

const NotLoaded = Type.Object(
  {
    available: Type.Literal(false),
    loaded: Type.Literal(false),
    status: Type.Literal('not_loaded'),
    amount: Type.Null(),
    raw: Type.Null(),
  },
  { title: 'NotLoaded', description: 'not known to the service, which is not 0' },
)

const AccountingSummary = namedObject('AccountingSummary', {
  available: Type.Boolean({ description: 'the wallet has trades or positions' }),
  loaded: Type.Literal(true),
  has_order_filled_rows: Type.Boolean({ description: 'the wallet has a fill' }),
  source: Type.String(),
  fees_paid: namedObject('FeesPaid', {
    available: Type.Boolean(),
    loaded: Type.Literal(true),
    amount: Money('all fees that the wallet paid as owner of an order'),
    raw: Type.String({ description: 'the same in millionths' }),
    fee_fill_count: Count('its fills with a fee'),
    order_owner_fill_count: Count('all its fills as owner of the order'),
    first_fee_block: nullable(Type.String(), 'null: it paid none'),
    last_fee_block: nullable(Type.String(), 'null: it paid none'),
  }),
  maker_rebates: NotLoaded,
  rewards: NotLoaded,
  order_filled_through_block: Type.String({ description: 'the last block that counts' }),
  projector_status: Type.Literal('ready'),
})

export const WalletReply = namedObject('Wallet', {
  address: Type.String(),
  ...totals,
  ...combos,
  accounting_summary: Type.Optional(AccountingSummary),
})

export const BatchBody = Type.Object({
  wallets: Type.Array(Address, {
    minItems: 1,
    maxItems: 100,
    description: 'addresses; one that is given twice is answered once',
  }),
})

export const BatchReply = Type.Object({
  count: Count('wallets in the answer'),
  wallets: Type.Array(
    Type.Object(
      { wallet: Type.String(), ...totals },
      { title: 'WalletTotals', description: 'in the order of the request' },
    ),
  ),
})

const realized = {
  realized_pnl: Money('sum over all steps'),
  gross_profit: Money('sum over the steps with a profit'),
  gross_loss: Money('sum over the steps with a loss, at most 0'),
  wins: Count('steps with a profit'),
  losses: Count('steps with a loss'),
  events: Count('all of them; steps without profit or loss are none'),
}

const optional = <Fields extends Record<string, ReturnType<typeof Money | typeof Count>>>(fields: Fields) =>
  Type.Partial(Type.Object(fields)).properties

/** Without a time the totals of the wallet, with one what it realized in that time. */
export const PnlReply = namedObject('WalletPnl', {
  address: Type.String(),
  ...optional(totals),
  ...optional(realized),
  ...combos,
  source: Type.Optional(Type.String()),
  period: Type.Optional(oneOf(PNL_PERIODS, 'as asked for', { title: 'PnlPeriod' })),
  after: Type.Optional(Seconds('Unix seconds, as applied')),
  before: Type.Optional(Seconds('Unix seconds, as applied')),
  open_positions_at_date: Type.Optional(Count('positions with shares now, whatever the window')),
})

const Bucket = namedObject('PnlBucket', {
  bucket: Seconds('Unix seconds of its beginning'),
  ...realized,
  cumulative_pnl: Money('realized by the buckets so far'),
  ...optional({
    position_count: totals.position_count,
    open_positions: totals.open_positions,
    unrealized_pnl: totals.unrealized_pnl,
    total_pnl: totals.total_pnl,
    total_volume: totals.total_volume,
  }),
})

export const PnlEventsReply = namedObject('WalletPnlEvents', {
  address: Type.String(),
  granularity: PnlGroupParameter,
  after: Type.Optional(Seconds('Unix seconds, as applied')),
  before: Type.Optional(Seconds('Unix seconds, as applied')),
  bucket_count: Count('buckets in the answer'),
  buckets: Type.Array(Bucket, { description: 'oldest first, without empty ones' }),
  truncated: Type.Optional(Type.Literal(true, { description: 'older buckets were left out' })),
  total_realized_pnl: Money('sum over the buckets'),
  total_events: Count('sum over the buckets'),
  total_wins: Count('sum over the buckets'),
  total_losses: Count('sum over the buckets'),
  ...optional({
    total_positions: totals.position_count,
    open_positions: totals.open_positions,
    unrealized_pnl: totals.unrealized_pnl,
    total_pnl: totals.total_pnl,
  }),
  count_type: Type.Optional(Type.Literal('positions')),
  summary_bucket: Type.Optional(Type.Literal(true)),
  source: Type.String(),
})
