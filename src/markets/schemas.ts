import { Type } from 'typebox'
import { Slug } from '../http/parameters.js'
import { DecimalText, UtcText } from '../http/row-fields.js'
import { namedObject } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'
import { StructuredMarket } from '../lookups/market-block.js'

const Platform = (description: string) => DecimalText(description, { examples: ['109387.73935'] })

export const Category = nullable(Type.String({ description: 'the first tag of its event' }))
export const TagLabels = nullable(
  Type.Array(Type.String()),
  'labels of the tags of the event; null when the event is not in the catalogue',
)
export const WinningOutcome = nullable(
  Type.Integer({ minimum: 0 }),
  'the only outcome that is paid; null before the result and when several are',
)
export const EndDate = nullable(UtcText({ description: 'UTC', examples: ['2026-12-31 12:00:00+00'] }))
export const Volume = Platform('dollars traded, as the platform counts them')
export const Liquidity = Platform('dollars in the order book, as the platform counts them')

const listed = {
  condition_id: nullable(Type.String()),
  question: nullable(Type.String()),
  slug: nullable(Type.String()),
  outcomes: Type.Array(Type.String()),
  category: Category,
  active: Type.Boolean(),
  closed: Type.Boolean(),
  neg_risk: Type.Boolean(),
  volume_all_time: Volume,
  liquidity: Liquidity,
  end_date: EndDate,
  event_slug: nullable(Type.String()),
  event_title: nullable(Type.String()),
  winning_outcome_index: WinningOutcome,
  ...StructuredMarket,
}

const whole = {
  ...listed,
  tag_slugs: TagLabels,
  token_ids: Type.Array(Type.String(), { description: 'by outcome' }),
  token_outcomes: Type.Array(Type.String(), { description: 'in the order of `token_ids`' }),
}

export const ListedMarketRow = namedObject('ListedMarket', listed)
export const WholeMarketRow = namedObject('MarketOfCondition', whole)
export const DatedMarketRow = namedObject('Market', { ...whole, created_at: EndDate })

const TagName = (description: string) => Type.Optional({ ...Slug, description })

/** What lists of markets and of events are narrowed by. */
export const CatalogueParameters = {
  category: TagName('label or slug of the first tag'),
  tag_slug: TagName('label or slug of a tag'),
  active: Type.Optional(Type.Boolean({ description: 'whether the platform shows it' })),
  closed: Type.Optional(Type.Boolean({ description: 'whether trading has ended' })),
}
