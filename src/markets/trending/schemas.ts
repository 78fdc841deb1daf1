import { Type } from 'typebox'
import { namedObject } from '../../lib/named-object.js'
import { EventSummaryFields, OutcomePriceTexts } from '../event/schemas.js'

const TrendingEvent = namedObject('TrendingEvent', { id: Type.String(), ...EventSummaryFields })

const MovingMarket = namedObject('MovingMarket', {
  id: Type.String(),
  slug: Type.String(),
  question: Type.String(),
  image: Type.String({ description: 'the address of an image; empty without one' }),
  outcomePrices: OutcomePriceTexts,
  oneDayPriceChange: Type.Number({
    description:
      'of the first outcome, dollars for a share, since the last trade before the running hour and the 23 before it, or since the first trade where that is later',
  }),
})

export const MoversReply = namedObject('Movers', {
  markets: Type.Array(MovingMarket, { description: 'the largest move first, up or down' }),
  count: Type.Integer({ minimum: 0 }),
})

export const TrendingReply = namedObject('Trending', {
  carousel: Type.Array(TrendingEvent, { description: 'the open events of most volume in 24 hours' }),
  featured: Type.Array(TrendingEvent, { description: 'the open events of most volume of all time' }),
  breaking: Type.Array(MovingMarket, { description: 'of the movers, those of most volume in 24 hours' }),
  movers: Type.Array(MovingMarket, { description: 'as `/v1/movers`' }),
  hotTopics: Type.Array(
    namedObject('HotTopic', {
      title: Type.String({ description: 'the label of a tag' }),
      volume: Type.Number({ description: 'dollars in 24 hours, of the 200 events of most volume' }),
      url: Type.String({ description: 'the page of this service that has it' }),
    }),
    { description: 'the tags of most volume in 24 hours' },
  ),
})
