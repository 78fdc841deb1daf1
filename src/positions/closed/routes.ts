import { Type } from 'typebox'
import { STANDARD } from '../../accounts/access.js'
import { notFound } from '../../core/errors.js'
import { parseAddress, toTokenId } from '../../core/ids.js'
import { toDecimal } from '../../core/money.js'
import { toIsoSecond } from '../../core/unix-time.js'
import { defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { oneOf, Slug } from '../../http/parameters.js'
import { errorReply } from '../../lib/error-reply.js'
import { namedObject } from '../../lib/named-object.js'
import { selectWalletId } from '../../lookups/ids.js'
import { selectTokenIds } from '../../lookups/market-filter.js'
import { CLOSED_SHARES_MAX } from '../../lookups/position-sql.js'
import type { Sql } from '../../store/connection.js'
import { CLOSED_SORTS, type ClosedRow, type ClosedSort, selectClosedPositions } from './queries.js'

/** What the documents say of which positions there are. */
const CLOSED_MEANING = `shares were bought, and less than ${CLOSED_SHARES_MAX / 1_000_000} is left: they were sold, merged, converted, redeemed or sent away. Shares of a loser that were never redeemed are still held, and their position is not closed.`

/** How the platform writes an outcome that it does not know. */
const UNKNOWN_OUTCOME = 999

const presentClosedPosition = (wallet: string, row: ClosedRow) => ({
  proxy_wallet: wallet,
  asset: toTokenId(row.token),
  condition_id: row.condition ?? '',
  avg_price: toDecimal(BigInt(row.average)),
  total_bought: toDecimal(row.bought),
  realized_pnl: toDecimal(row.realized),
  cur_price: toDecimal(BigInt(row.price)),
  timestamp: row.lastSec,
  title: row.title ?? '',
  slug: row.slug ?? '',
  icon: row.icon ?? '',
  event_slug: row.eventSlug ?? '',
  outcome: row.outcome ?? '',
  outcome_index: row.outcomeIndex ?? UNKNOWN_OUTCOME,
  opposite_outcome: row.oppositeOutcome ?? '',
  opposite_asset: row.opposite === null ? '' : toTokenId(row.opposite),
  end_date: row.endSec === null ? '' : toIsoSecond(row.endSec),
})

const LIMIT_MAX = 50
const OFFSET_MAX = 100_000
const TITLE_CHARACTERS_MAX = 100

const format = 'any-case-capitals'

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

const ClosedPositionsReply = namedObject('ClosedPositions', {
  wallet: Type.String(),
  count: Type.Integer({ minimum: 0, description: 'rows of this answer' }),
  offset: Type.Integer({ minimum: 0 }),
  limit: Type.Integer({ minimum: 1 }),
  positions: Type.Array(ClosedPositionRow),
})

const ClosedQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: 10 }),
  offset: Type.Integer({ minimum: 0, maximum: OFFSET_MAX, default: 0 }),
  sortBy: oneOf(CLOSED_SORTS, 'what the order goes by, in any letter case', {
    default: 'TIMESTAMP',
    format,
  }),
  sortDirection: oneOf(['ASC', 'DESC'], '`DESC` has the largest first; in any letter case', {
    default: 'DESC',
    format,
  }),
  market: Type.Optional({ ...Slug, description: 'the slug of a market' }),
  title: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: TITLE_CHARACTERS_MAX,
      description: 'part of the question of a market, in any letter case',
    }),
  ),
})

type ClosedFilter = {
  address: string
  limit: number
  offset: number
  sortBy: ClosedSort
  sortDirection: 'ASC' | 'DESC'
  market?: string
  title?: string
}

const closedPositions = defineAnswer({
  path: '/v2/wallets/:address/closed-positions',
  operationId: 'listClosedPositions',
  summary: 'Closed positions of a wallet',
  description: `The positions of a wallet that are closed: ${CLOSED_MEANING} The numbers are those of the chain, in the platform's names; a position in a market that the catalogue does not have is there with empty texts. Positions in combos are left out.`,
  tag: 'positions',
  access: STANDARD,
  narrowBy: ['market', 'title'],
  errors: { 404: errorReply('The address is none') },
  // Any text: an address that is none has no positions, and no page either.
  params: Type.Object({
    address: Type.String({
      format: 'hex',
      description: '0x and 40 hexadecimal digits',
      examples: ['0x1111111111111111111111111111111111111111'],
    }),
  }),
  query: ClosedQuery,
  hasElapsed: false,
  reply: ClosedPositionsReply,
  answer: async ({ sql }, input) => {
    const { address, offset, limit } = input
    if (parseAddress(address) === undefined) throw notFound()
    const rows = await selectRows(sql, input)
    const positions = rows.map((row) => presentClosedPosition(address, row))
    return { wallet: address, count: positions.length, offset, limit, positions }
  },
})

async function selectRows(sql: Sql, filter: ClosedFilter): Promise<ClosedRow[]> {
  const { sortBy: sort, sortDirection, title, limit, offset } = filter
  const wallet = await selectWalletId(sql, filter.address)
  const tokens = await selectTokenIds(sql, { market_slug: filter.market })
  if (wallet === undefined || tokens?.length === 0) return []
  const isAscending = sortDirection === 'ASC'
  return selectClosedPositions(sql, { wallet, sort, isAscending, tokens, title, limit, offset })
}

export const closedPositionRoutes = endpointRoutes([closedPositions])
