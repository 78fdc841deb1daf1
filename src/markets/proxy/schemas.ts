import { Type } from 'typebox'
import { namedObject } from '../../lib/named-object.js'

const JsonText = (description: string) => Type.String({ description: `${description}, as JSON in a text` })

const GammaMarket = namedObject('GammaMarket', {
  id: Type.String(),
  slug: Type.String(),
  question: Type.String(),
  conditionId: Type.String(),
  outcomes: JsonText('the names of the outcomes'),
  outcomePrices: JsonText('dollars for a share, by outcome'),
  clobTokenIds: JsonText('outcome tokens, by outcome'),
  volume: Type.Number(),
  volume24hr: Type.Number(),
  liquidity: Type.Number(),
  feesEnabled: Type.Boolean(),
  takerBaseFee: Type.Integer({ description: 'basis points' }),
  version: Type.Enum(['v1', 'v2'], { type: 'string', description: '`v2`: its token ids are structured' }),
  positionIds: Type.Optional(JsonText('of `v2` alone: the same as `clobTokenIds`')),
  active: Type.Boolean(),
  closed: Type.Boolean(),
  acceptingOrders: Type.Boolean(),
})

export const GammaEventsReply = Type.Array(
  namedObject('GammaEvent', {
    id: Type.String(),
    slug: Type.String(),
    title: Type.String(),
    startDate: Type.String({ description: 'ISO 8601; empty when it is unknown' }),
    endDate: Type.String({ description: 'ISO 8601; empty when it is unknown' }),
    active: Type.Boolean(),
    closed: Type.Boolean(),
    markets: Type.Array(GammaMarket),
  }),
  { title: 'GammaEvents', description: 'one event, or none', maxItems: 1 },
)

/** The characters of slugs of the platform: a request with others is not passed on to it. */
export const EventSlug = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
  description: 'the slug of an event: letters, digits, dots, `_` and `-`',
  examples: ['btc-updown-5m-1793000100'],
})
