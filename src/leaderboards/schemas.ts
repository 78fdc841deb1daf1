import { Type } from 'typebox'
import { ConditionId, oneOf, Slug } from '../http/parameters.js'
import { Decimal, DecimalText } from '../http/row-fields.js'
import { ERROR_CODE } from '../http/validation.js'
import { errorReply } from '../lib/error-reply.js'
import { namedObject } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'

/** The periods of rolling boards. */
export const PERIOD_DAYS = { '1d': 1, '7d': 7, '30d': 30 }
export type RollingPeriod = keyof typeof PERIOD_DAYS
const ROLLING_PERIODS = Object.keys(PERIOD_DAYS) as RollingPeriod[]

/** The last ranks of a rolling board, and of that of all time over all markets. */
export const ROLLING_RANK_MAX = 1_000
export const ALL_TIME_RANK_MAX = 10_000

const QUERY_LENGTH_MAX = 80

const ALIASES = '`day`, `week` and `month` are read as `1d`, `7d` and `30d`'

export const Period = oneOf(
  ['all', ...ROLLING_PERIODS],
  `the time that counts, up to \`as_of\`; ${ALIASES}`,
  { default: 'all', format: 'period' },
)

const FilterText = (description: string) =>
  Type.String({ minLength: 1, maxLength: 300, pattern: '^[^\\u0000]*$', description })

export const BoardFilters = {
  category: Type.Optional(FilterText('the first tag of the event, by slug or label')),
  tags: Type.Optional(FilterText('one tag of the event, by slug or label')),
  tag_slug: Type.Optional(FilterText('the same as `tags`')),
  market: Type.Optional(FilterText('the condition or the slug of a market; all time alone')),
  market_slug: Type.Optional({ ...Slug, description: 'a market; all time alone' }),
  condition_id: Type.Optional(ConditionId),
  event_slug: Type.Optional({ ...Slug, description: 'all markets of an event; all time alone' }),
}

export const ScopesQuery = Type.Object({
  period: Type.Unsafe<RollingPeriod>({
    ...oneOf(ROLLING_PERIODS, `the time that counts, up to \`as_of\`; ${ALIASES}`, {
      format: 'period',
    }),
    [ERROR_CODE]: 'invalid_period',
  }),
  scope: Type.Unsafe<'category' | 'tag'>({
    ...oneOf(['category', 'tag'], 'the kind of scopes; `categories` and `tags` are read too', {
      format: 'scope-kind',
    }),
    [ERROR_CODE]: 'invalid_scope',
  }),
  q: Type.Optional(
    Type.String({
      format: 'outer-spaces',
      maxLength: QUERY_LENGTH_MAX,
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
      description:
        'a part of the name, in capitals or small letters, without control characters; spaces around it do not count',
      [ERROR_CODE]: 'invalid_query',
    }),
  ),
})

const Money = Decimal
const MoneyText = DecimalText
const Count = (description: string) => Type.Integer({ minimum: 0, description })
const Rank = Type.Integer({ minimum: 1 })
const Wallet = Type.String({ description: 'address of the wallet' })

export const AllTimeRank = namedObject('LeaderboardRow', {
  rank: Rank,
  wallet: Wallet,
  net_realized_pnl: Money('profit of what was sold, merged, redeemed or converted'),
  realized_pnl: Money('the same, by the name that rolling boards have'),
  gross_profit: Money('over the positions that won, unrealized profit included'),
  gross_loss: Money('over the positions that lost; not positive'),
  unrealized_pnl: Money('what shares that are held would add at their prices'),
  total_pnl: Money('realized and unrealized'),
  wins: Count('positions with a profit'),
  losses: Count('positions with a loss'),
  position_count: Count('positions ever held'),
  open_positions: Count('positions with shares'),
  total_volume: Money('shares ever bought'),
})

export const RollingRank = namedObject('RollingLeaderboardRow', {
  rank: Rank,
  wallet: Wallet,
  realized_pnl: Money('profit that was realized in the period'),
  gross_profit: Money('over the steps that won'),
  gross_loss: Money('over the steps that lost; not positive'),
  wins: Count('steps with a profit: sales, merges, redemptions and conversions'),
  losses: Count('steps with a loss'),
  events: Count('both'),
})

export const TagRank = namedObject('TagLeaderboardRow', {
  wallet: Wallet,
  net_pnl: MoneyText('realized profit in the markets of the tag'),
  gross_profit: MoneyText('realized profit of the positions that won'),
  gross_loss: MoneyText('realized loss of the positions that lost; not positive'),
  total_volume: MoneyText('shares ever bought'),
  position_count: Count('positions ever held'),
})

export const LeaderboardEnvelope = {
  period: oneOf(['all', ...ROLLING_PERIODS], 'as applied'),
  scope: nullable(
    oneOf(['category', 'tag', 'market', 'event'], 'what the board is narrowed to'),
    'null: all markets',
  ),
  value: nullable(Type.String({ description: 'which one' }), 'null: all markets'),
  sort: Type.String({
    description: 'what the rows are ranked by: a value of the parameter `sort`',
  }),
  as_of: Type.Integer({ description: 'Unix seconds: the moment that the board speaks of' }),
}

export const ListedScope = namedObject('LeaderboardScope', {
  value: Type.String({ description: 'what `category` or `tags` of a leaderboard takes' }),
  wallet_count: Count('wallets that realized a profit or a loss in the period'),
  ranked_count: Count('ranks that the leaderboard has'),
})

export const ScopesEnvelope = {
  count: Count('rows in the answer'),
  total_count: Count('scopes that match'),
  period: oneOf(ROLLING_PERIODS, 'as applied'),
  scope: oneOf(['category', 'tag'], 'as applied'),
  query: nullable(Type.String(), 'what was searched for, in small letters; null: nothing'),
  as_of: Type.Integer({ description: 'Unix seconds: the moment that the counts speak of' }),
}

export const BOARD_ERRORS = {
  409: errorReply(
    'The boards were brought up to date since the cursor was issued',
    { hint: Type.String() },
    'ConflictError',
  ),
  503: errorReply('`leaderboard_unavailable`: the boards are not made yet; or the service is busy'),
}

export const WalletRanks = namedObject('WalletRanks', {
  address: Type.String(),
  ranks: Type.Array(
    namedObject('WalletRank', {
      period: Type.String({ enum: ['all', ...ROLLING_PERIODS] }),
      sort: Type.String({ enum: ['total', 'realized'], description: 'what the board is ranked by' }),
      rank: nullable(Rank, 'null: the wallet is not on the board, or behind its last rank'),
      value: nullable(Money('dollars by which it has this rank')),
    }),
  ),
  as_of: Type.Integer({ description: 'Unix seconds: the moment that the boards speak of' }),
})
