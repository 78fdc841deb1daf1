import { Type } from 'typebox'
import { namedObject } from '../../lib/named-object.js'
import { CLOSED_SHARES_MAX } from '../../lookups/position-sql.js'

const Text = (description: string) => Type.String({ description: `${description}; empty when it is unknown` })

/** A closed position, in the platform's own names. What is unknown is written as the platform does. */
const ClosedPositionRow = namedObject('ClosedPosition', {
  proxy_wallet: Type.String({ description: 'the wallet' }),
  asset: Type.String({ description: 'the outcome token' }),
  condition_id: Text('the condition of the token'),
  avg_price: Type.Number({
    description: 'what a share cost on average, over all that were bought',
  }),
  total_bought: Type.Number({ description: 'all shares that were ever bought' }),
  realized_pnl: Type.Number({ description: 'dollars' }),
  cur_price: Type.Number({
    description:
      'once there is a result what a share is paid, which is 1 for winners and 0 for losers; before it the price of now, 0 when none is known',
  }),
  timestamp: Type.Integer({ description: 'Unix seconds of the last change, which closed it' }),
  title: Text('the question of the market'),
  slug: Text('the slug of the market'),
  icon: Text('the address of an image'),
  event_slug: Text('the slug of the event'),
  outcome: Text('the outcome that was held'),
  outcome_index: Type.Integer({ minimum: 0, description: '999 when it is unknown' }),
  opposite_outcome: Text('the other one of two outcomes'),
  opposite_asset: Text('the token of the other outcome'),
  end_date: Text('when the market ends or ended, in ISO 8601'),
})

export const ClosedPositionsReply = namedObject('ClosedPositions', {
  wallet: Type.String(),
  count: Type.Integer({ minimum: 0, description: 'rows of this answer' }),
  offset: Type.Integer({ minimum: 0 }),
  limit: Type.Integer({ minimum: 1 }),
  positions: Type.Array(ClosedPositionRow),
})

/** What the documents say of which positions there are. */
export const CLOSED_MEANING = `shares were bought, and less than ${CLOSED_SHARES_MAX / 1_000_000} is left: they were sold, merged, converted, redeemed or sent away. Shares of a loser that were never redeemed are still held, and their position is not closed.`
