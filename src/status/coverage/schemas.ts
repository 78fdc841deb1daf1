import { Type } from 'typebox'
import { PRICE_KINDS, TICK_SOURCES } from '../../prices/streams.js'

const Block = Type.Integer({ description: 'block number' })
const Time = Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
  description: 'time of the block; null where no block near it is known',
})
const BlockTime = (description: string) =>
  Type.Union([Type.Object({ block: Block, time: Time }), Type.Null()], { description })

const HOURS_MAX = 168

export const CoverageQuery = Type.Object({
  hours: Type.Integer({
    minimum: 1,
    maximum: HOURS_MAX,
    default: 24,
    description: 'how many hours of ticks to tell about, the running one included',
  }),
})

const Moment = Type.String({ format: 'date-time' })

const Ticks = Type.Object({
  streams: Type.Array(
    Type.Object({
      feed: Type.String({ examples: ['BTC/USD'] }),
      source: Type.String({ enum: [...TICK_SOURCES] }),
      price_source: Type.String({ enum: [...PRICE_KINDS] }),
      from: Type.String({ format: 'date-time', description: 'the hour in which it begins' }),
      hours: Type.Array(
        Type.Object({
          start: Moment,
          seconds: Type.Integer({ minimum: 0, description: 'seconds that have a tick' }),
          missing: Type.Integer({ minimum: 0, description: 'seconds that passed without one' }),
        }),
      ),
    }),
    { description: 'one entry for each feed, source and price source that has ticks' },
  ),
  gaps: Type.Array(
    Type.Object({
      upstream: Type.String({ description: 'whose connection it was' }),
      feed: Type.Union([Type.String(), Type.Null()], { description: 'null: all feeds' }),
      price_source: Type.Union([Type.String(), Type.Null()], { description: 'null: all' }),
      from: Moment,
      to: Moment,
      reason: Type.String(),
    }),
    {
      description:
        'outages in those hours that a connection could not fill, the newest first; another may have told what it missed',
    },
  ),
})

export const CoverageReply = Type.Object(
  {
    head: BlockTime('the last block that is processed; null before the first one'),
    head_age_seconds: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
    data: Type.Array(
      Type.Object({
        kind: Type.String({ description: 'kind of data, such as `fills` or `positions`' }),
        from: BlockTime('where it begins; null: there is nothing of it'),
        to: BlockTime('where it ends'),
        is_complete: Type.Boolean({ description: 'nothing is missing between the two ends' }),
        holes: Type.Array(Type.Object({ from_block: Block, to_block: Block }), {
          description: 'blocks in between that were not read, both ends included',
        }),
      }),
    ),
    ticks: Ticks,
  },
  { description: 'From where to where each kind of data is known' },
)
