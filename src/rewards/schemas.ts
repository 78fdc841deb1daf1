import { Type } from 'typebox'
import { StaleCopy } from '../http/stale-copy.js'
import { namedObject } from '../lib/named-object.js'

/** The fields that every row has; the platform sends more, which pass as they are. */
const RewardMarket = Type.Object(
  {
    condition_id: Type.String(),
    rewards_config: Type.Array(
      Type.Object({ asset_address: Type.String() }, { title: 'RewardConfig', additionalProperties: true }),
      { description: 'what is paid: `rate_per_day` from `start_date` on' },
    ),
  },
  { title: 'RewardMarket', additionalProperties: true },
)

const RewardPage = Type.Object(
  {
    next_cursor: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: '`LTE=` on the last page' }),
    ),
    data: Type.Array(RewardMarket),
  },
  {
    title: 'RewardPage',
    additionalProperties: true,
    description: "the platform's own page, as it sent it",
  },
)

export const RewardReply = namedObject('RewardMarkets', {
  source: Type.String(),
  reward_semantics: Type.String(),
  data: RewardPage,
  ...StaleCopy('the order book'),
})

export const RewardQuery = Type.Object({
  sponsored: Type.Boolean({
    default: false,
    description: 'true: `rate_per_day` has what sponsors add',
  }),
  next_cursor: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9+/=_-]{1,200}$',
      description: 'the `next_cursor` of the page before',
      examples: ['NTAw'],
    }),
  ),
})

export const RebateQuery = Type.Object({
  date: Type.Optional(
    Type.String({
      pattern: '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$',
      description: 'a UTC day; today when it is left out',
      examples: ['2026-11-12'],
    }),
  ),
})

const Rebate = namedObject('Rebate', {
  date: Type.String(),
  condition_id: Type.String(),
  asset_address: Type.String(),
  maker_address: Type.String(),
  rebated_fees_usdc: Type.String({ description: 'dollars, as a decimal' }),
})

export const RebateReply = namedObject('WalletRebates', {
  address: Type.String(),
  date: Type.String(),
  rebates: Type.Array(Rebate),
  rows_returned: Type.Integer(),
  total_rebated_fees_usdc: Type.Number(),
  source: Type.String(),
  rebate_semantics: Type.String(),
  provider_status: Type.Optional(
    Type.Integer({ description: 'with what status the order book refused the address' }),
  ),
  provider_warning: Type.Optional(Type.Object({ error: Type.String() })),
  hint: Type.Optional(Type.String()),
})
