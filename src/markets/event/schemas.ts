import { Type } from 'typebox'
import { namedObject } from '../../lib/named-object.js'
import { PlatformLiquidity, PlatformVolume } from '../v1/schemas.js'

const Empty = (description: string) =>
  Type.String({ description: `${description}; empty when it is unknown` })

/** What is shown of an event wherever it stands. */
export const EventSummaryFields = {
  slug: Type.String(),
  title: Type.String(),
  image: Empty('the address of an image'),
  active: Type.Boolean({ description: 'whether the platform shows it' }),
  closed: Type.Boolean({ description: 'whether trading has ended' }),
  volume: PlatformVolume,
  volume24hr: Type.Number({
    description: 'dollars in the running hour and the 23 before it, as `/v3/events/stats` counts them',
  }),
  liquidity: PlatformLiquidity,
  startDate: Empty('ISO 8601'),
}

export const OutcomePriceTexts = Type.Array(Type.String(), {
  description: 'dollars for a share, by outcome; empty while there are none',
})

export const EventReply = namedObject('EventWithMarkets', {
  id: Type.Integer(),
  ...EventSummaryFields,
  description: Empty("the platform's own text, also while the platform does not answer"),
  endDate: Empty('ISO 8601'),
  negRisk: Type.Boolean(),
  similarMarkets: Type.Integer({
    minimum: 0,
    description:
      'markets of other open events with the same first tag, among the 500 events of most volume in 24 hours',
  }),
  annotations: Type.Integer({
    minimum: 0,
    description: "0: the platform's notes to an event are not published",
  }),
  markets: Type.Array(
    namedObject('EventMarket', {
      id: Type.String(),
      slug: Empty('the name in addresses'),
      question: Type.String(),
      conditionId: Empty('0x and 64 hex digits'),
      groupItemTitle: Empty('what distinguishes it from the other markets of the event'),
      outcomes: Type.Array(Type.String()),
      outcomePrices: OutcomePriceTexts,
      clobTokenIds: Type.Array(Type.String(), { description: 'by outcome' }),
      volume: PlatformVolume,
      liquidity: PlatformLiquidity,
      active: Type.Boolean(),
      closed: Type.Boolean(),
    }),
    { description: 'the first 500' },
  ),
})

export const FoundEventsReply = namedObject('FoundEvents', {
  query: Type.String(),
  count: Type.Integer({ minimum: 0, description: 'events of this answer' }),
  events: Type.Array(
    namedObject('FoundEvent', {
      id: Type.String(),
      ...EventSummaryFields,
      markets: Type.Array(
        namedObject('FoundEventMarket', {
          question: Type.String(),
          groupItemTitle: Empty('what distinguishes it from the other markets of the event'),
          active: Type.Boolean(),
        }),
        { description: 'the first 50' },
      ),
    }),
    { description: 'open ones first, each by volume' },
  ),
})
