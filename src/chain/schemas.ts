import { Type } from 'typebox'

const Block = Type.Integer({ description: 'block number' })
const Time = Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
  description: 'time of the block; null where no block near it is known',
})
const BlockTime = (description: string) =>
  Type.Union([Type.Object({ block: Block, time: Time }), Type.Null()], { description })

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
  },
  { description: 'From where to where each kind of data is known' },
)
