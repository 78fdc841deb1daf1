import { type TProperties, Type } from 'typebox'
import { namedObject } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'

export const BookId = Type.String({
  minLength: 1,
  maxLength: 300,
  pattern: '^[^\\u0000]*$',
  description: 'a token id (digits), a condition id (0x and 64 hexadecimal digits) or an event slug',
  examples: ['7123'],
})

const Text = (description: string) => Type.Optional(Type.String({ description }))
const Decimal = (description: string) => Type.Optional(Type.String({ description, examples: ['0.515'] }))

export const LevelReply = namedObject('BookLevel', { price: Type.String(), size: Type.String() })

const BookLevels = (description: string) => Type.Optional(Type.Array(LevelReply, { description }))

const BOOK = {
  market: Text('the condition id'),
  asset_id: Text('the token id'),
  timestamp: Text('when it last changed, Unix milliseconds'),
  hash: Text("the exchange's name of this version of the book"),
  bids: BookLevels('offers to buy, the best one last'),
  asks: BookLevels('offers to sell, the best one last'),
  min_order_size: Decimal('shares'),
  tick_size: Decimal('the step of prices'),
  neg_risk: Type.Optional(Type.Boolean()),
  last_trade_price: Decimal('empty: it never traded'),
}

const MID = { mid: Decimal('the middle between the best prices') }
const SPREAD = { spread: Decimal('the best ask minus the best bid') }

const Question = Type.Optional(nullable(Type.String(), 'null: it is not in the catalogue'))

/** Of a condition or an event: `outcomes` has what a token has. */
const groupOf = <Fields extends TProperties>(outcomeName: string, fields: Fields) => ({
  condition_id: Text('of a condition'),
  event_title: Type.Optional(nullable(Type.String())),
  outcomes: Type.Optional(
    Type.Array(
      namedObject(outcomeName, {
        token_id: Type.String(),
        outcome: Type.String(),
        question: Question,
        ...fields,
      }),
      { description: 'of a condition or an event: its tokens that have a book' },
    ),
  ),
  question: Question,
  slug: Type.Optional(nullable(Type.String(), 'of the market; of an event when that was asked')),
})

const Metadata = namedObject('BookMetadata', {
  question: nullable(Type.String()),
  slug: nullable(Type.String()),
  outcomes: Type.Array(Type.String()),
  condition_id: Type.String(),
  image: nullable(Type.String()),
})

export const OrderbookReply = namedObject('Orderbook', {
  ...BOOK,
  metadata: Type.Optional(Metadata),
  ...groupOf('OutcomeBook', BOOK),
})

const TOKEN_ID = { token_id: Text('of a token') }

export const MidpointReply = namedObject('Midpoint', {
  ...MID,
  ...TOKEN_ID,
  ...groupOf('OutcomeMidpoint', MID),
})

export const SpreadReply = namedObject('Spread', {
  ...SPREAD,
  ...TOKEN_ID,
  ...groupOf('OutcomeSpread', SPREAD),
})
