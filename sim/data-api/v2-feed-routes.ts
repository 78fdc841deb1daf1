import { readFlag } from '../server/query.js'
import { ACTIVITY_TYPES_V2 } from './activity-row.js'
import { toSnakeRow } from './casing.js'
import type { Route } from './context.js'
import { listActivity, listTrades } from './feed.js'
import {
  BadRequest,
  DIRECTIONS,
  readAmount,
  readChoice,
  readChoices,
  readOptionalChoice,
  readOptionalUser,
  readSpan,
  readUser,
  SIDES,
} from './query.js'
import { readScope } from './scope.js'
import { pageOfFeed } from './v2-page.js'

const TRADES_RULE = { list: 'trades', usual: 100, max: 1_000 }
const ACTIVITY_RULE = { list: 'activity', usual: 100, max: 1_000 }
const TRADE_SIZE_MIN = 0.01

export const tradesV2: Route = ({ universe }, query) => {
  // A list of addresses is no wallet.
  const isList = query.get('user')?.includes(',') ?? false
  const user = isList ? { wallet: undefined } : readOptionalUser(universe, query)
  if (user === undefined && (query.has('start') || query.has('end'))) {
    throw new BadRequest("'start' and 'end' need 'user'")
  }
  const filter = {
    user,
    scope: readScope(query, 'condition_id'),
    side: readOptionalChoice(query, 'side', SIDES),
    takerOnly: readFlag(query, 'taker_only') ?? true,
    size: {
      type: readChoice(query, 'filter_type', ['TOKENS', 'CASH']),
      amount: readAmount(query, 'filter_amount') ?? TRADE_SIZE_MIN,
    },
    span: readSpan(query),
  }
  return pageOfFeed(TRADES_RULE, query, (after) => listTrades(universe, filter, after), toSnakeRow)
}

export const activityV2: Route = ({ universe }, query) => {
  const filter = {
    wallet: readUser(universe, query),
    scope: readScope(query, 'condition_id'),
    types: readChoices(query, 'type', ACTIVITY_TYPES_V2),
    withTransfers: readFlag(query, 'exclude_deposits_withdrawals') === false,
    side: readOptionalChoice(query, 'side', SIDES),
    span: readSpan(query),
    isAscending: readChoice(query, 'sort_direction', DIRECTIONS) === 'ASC',
  }
  return pageOfFeed(ACTIVITY_RULE, query, (after) => listActivity(universe, filter, after), toSnakeRow)
}
