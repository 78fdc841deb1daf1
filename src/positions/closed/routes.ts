import { Type } from 'typebox'
import { STANDARD } from '../../accounts/access.js'
import { notFound } from '../../core/errors.js'
import { parseAddress } from '../../core/ids.js'
import { defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { oneOf, Slug } from '../../http/parameters.js'
import { errorReply } from '../../lib/error-reply.js'
import { selectWalletId } from '../../lookups/ids.js'
import { selectTokenIds } from '../../lookups/market-filter.js'
import type { Sql } from '../../store/connection.js'
import { presentClosedPosition } from './present.js'
import { CLOSED_SORTS, type ClosedRow, type ClosedSort, selectClosedPositions } from './queries.js'
import { CLOSED_MEANING, ClosedPositionsReply } from './schemas.js'

const LIMIT_MAX = 50
const OFFSET_MAX = 100_000
const TITLE_CHARACTERS_MAX = 100

const format = 'any-case-capitals'

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
