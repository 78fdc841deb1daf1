import { Type } from 'typebox'
import { ConditionId, oneOf, Slug } from '../../http/parameters.js'
import { Decimal, UnixTime } from '../../http/row-fields.js'
import { namedEnum, namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { StructuredMarket } from '../../lookups/market-block.js'
import { STATS_PERIOD_NAMES } from './period.js'
import { STATS_SORTS } from './queries.js'

const TAG_TEXT = 'label or slug of a tag, in capitals or small letters, `-` for a space'

export const StatsParameters = {
  period: oneOf(STATS_PERIOD_NAMES, 'whole hours of UTC up to the running one, which is the last of them', {
    title: 'StatsPeriod',
    default: '1d',
  }),
  condition_id: Type.Optional(ConditionId),
  market_slug: Type.Optional(Slug),
  event_slug: Type.Optional(Slug),
  category: Type.Optional({ ...Slug, description: `the first tag: ${TAG_TEXT}` }),
  tag_slug: Type.Optional({ ...Slug, description: `one of the tags: ${TAG_TEXT}` }),
  sort: oneOf(STATS_SORTS, 'the largest first', { title: 'StatsSort', default: 'volume' }),
}

const Usd = Decimal('dollars')

const sums = {
  volume_usd: Usd,
  volume_shares: Decimal('shares'),
  volume_buy: Decimal('dollars where the order that took bought'),
  volume_sell: Decimal('dollars where the order that took sold'),
  trades: Type.Integer({ minimum: 1, description: 'matches' }),
  unique_traders: Type.Integer({ minimum: 0, description: 'wallets with a fill, each once' }),
  fees_usd: Decimal('dollars, paid by orders that took'),
  vwap: Decimal('dollars for a share on average, by volume, 6 decimals'),
  first_trade_ts: UnixTime('Unix seconds of the first trade in the period'),
  last_trade_ts: UnixTime('Unix seconds of the last trade in the period'),
}

export const MarketStats = namedObject('MarketStats', {
  condition_id: Type.String(),
  question: nullable(Type.String()),
  slug: nullable(Type.String()),
  event_slug: nullable(Type.String()),
  category: nullable(Type.String(), 'the label of the first tag'),
  ...sums,
  prices: Type.Array(
    namedObject('OutcomePrice', {
      token_id: Type.String(),
      outcome: nullable(Type.String()),
      price: Type.Number({ description: 'dollars for a share; 0 while there is none' }),
      source: nullable(Type.String(), 'null: there is no price yet'),
    }),
    { description: 'by outcome' },
  ),
  ...StructuredMarket,
})

export const EventStats = namedObject('EventStats', {
  event_id: Type.Integer(),
  event_slug: nullable(Type.String()),
  event_title: nullable(Type.String()),
  category: nullable(Type.String(), 'the label of the first tag'),
  market_count: Type.Integer({ description: 'markets of the event, traded or not' }),
  ...sums,
})

export const StatsEnvelope = {
  period: namedEnum('StatsPeriod', STATS_PERIOD_NAMES),
  as_of: Type.Integer({ description: 'Unix seconds: every trade that was known then is counted' }),
  totals: Type.Object(
    {
      markets: Type.Integer({ description: 'with a trade in the period' }),
      active_markets: Type.Integer({ description: 'of these, without a result' }),
      resolved_markets: Type.Integer({ description: 'of these, with a result' }),
      volume_usd: Usd,
      trades: Type.Integer(),
    },
    { title: 'StatsTotals', description: 'over all markets that the filters leave' },
  ),
}
