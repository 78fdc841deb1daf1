import { Type } from 'typebox'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'

const Id = Type.String({ description: "Gamma's id" })
const Slug = Type.String({ description: 'the name in addresses of the site' })
const Question = Type.String({ description: 'what is asked' })
const ConditionId = Type.String({ description: '0x and 64 hex digits; empty while there is none' })
const OutcomePrices = Type.Array(Type.Number(), {
  description: 'prices from 0 to 1 in the order of the outcomes; empty while there are none',
})
const Time = (description: string) =>
  Type.String({
    description: `${description}; ISO 8601, to the microsecond where that is known; empty where Gamma has none`,
  })
const StartDate = Time('when trading began, which may be long before a window opens')
const EndDate = Time('when it ends')
const IsActive = Type.Boolean({ description: 'it may be traded' })
const IsClosed = Type.Boolean({ description: 'it is decided' })
const Usd = (description: string) =>
  Type.Number({ description: `${description} in dollars; 0 where Gamma has none` })

export const ActiveReply = Type.Object(
  {
    markets: Type.Array(
      namedObject('UpDownEvent', {
        id: Id,
        slug: Type.String({ description: '`{coin}-updown-5m-{windowStart}`' }),
        title: Type.String(),
        active: IsActive,
        closed: IsClosed,
        startDate: StartDate,
        endDate: Time('when the window ends'),
        markets: Type.Array(
          namedObject('UpDownMarket', {
            question: Question,
            conditionId: ConditionId,
            outcomes: Type.String({
              description: 'the names of the outcomes as JSON in a text: `["Up", "Down"]`',
            }),
            outcomePrices: OutcomePrices,
            tokenId: Type.String({ description: 'the token of the outcome Up, in decimal' }),
            active: IsActive,
            closed: IsClosed,
          }),
        ),
      }),
      { description: 'one for each of BTC, ETH, SOL, BNB, XRP, DOGE and HYPE that has a window' },
    ),
    count: Type.Integer({ minimum: 0, description: 'how many there are' }),
    windowStart: Type.Integer({ description: 'when the running window began, in Unix seconds' }),
  },
  {
    title: 'ActiveCryptoMarkets',
    description: 'The up-or-down markets of the five minutes that are running',
  },
)

export const MarketsReply = Type.Object(
  {
    events: Type.Array(
      namedObject('CryptoEvent', {
        id: Id,
        slug: Slug,
        title: Type.String(),
        startDate: StartDate,
        endDate: EndDate,
        active: IsActive,
        volume: Usd('everything that was traded'),
        volume24hr: Usd('what was traded in 24 hours'),
        liquidity: Usd('what rests in the order books'),
        openInterest: Usd('what is at stake'),
        seriesSlug: Type.String({ description: 'the series it belongs to; empty without one' }),
        markets: Type.Array(
          namedObject('CryptoMarket', {
            id: Id,
            question: Question,
            conditionId: ConditionId,
            outcomes: Type.Array(Type.String(), { description: 'the names of the outcomes' }),
            outcomePrices: OutcomePrices,
            volume: Usd('everything that was traded'),
            liquidity: Usd('what rests in the order book'),
            active: IsActive,
            closed: IsClosed,
            groupItemTitle: Type.String({
              description: 'what distinguishes it from the other markets of the event; empty without others',
            }),
          }),
        ),
      }),
      { description: 'the most traded of the last 24 hours first' },
    ),
  },
  { title: 'CryptoMarkets', description: 'Open crypto events with their markets' },
)

export const SeriesReply = Type.Object(
  {
    series: Type.Array(
      namedObject('CryptoSeries', {
        id: Id,
        slug: Slug,
        title: Type.String(),
        recurrence: Type.String({
          description:
            'how often an event comes: `5m`, `15m`, `1h`, `4h`, `daily`, `weekly`, `monthly`, or what Gamma says; empty where it is not known',
        }),
        active: Type.Boolean({ description: 'it goes on' }),
        eventCount: nullable(
          Type.Integer({ minimum: 0 }),
          'events of it that are open now; null while these are still being read',
        ),
      }),
      { description: 'by slug' },
    ),
    count: Type.Integer({ minimum: 0, description: 'how many there are' }),
  },
  { title: 'CryptoSeriesList', description: 'Recurring series of the coins' },
)
