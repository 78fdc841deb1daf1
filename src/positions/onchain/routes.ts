import { Type } from 'typebox'
import { PAID_STANDARD, STANDARD } from '../../accounts/access.js'
import { badRequest, notFound } from '../../core/errors.js'
import { parseMillionths } from '../../core/money.js'
import type { OrderKey } from '../../core/page.js'
import { defineAnswer } from '../../http/answer.js'
import { type Endpoint, endpointRoutes } from '../../http/endpoint.js'
import { Address, MarketFilters, oneOf, Shares, Slug, UnixSeconds } from '../../http/parameters.js'
import { errorReply } from '../../lib/error-reply.js'
import { selectWalletId } from '../../lookups/ids.js'
import { selectTokenIds } from '../../lookups/market-filter.js'
import { selectSeqRange } from '../../lookups/seq-range.js'
import { selectLastReorg } from '../../lookups/snapshot.js'
import type { Sql } from '../../store/connection.js'
import { presentOnchainPosition } from '../present.js'
import {
  type ClosedPosition,
  type PositionScope,
  type ShownPosition,
  selectPositions,
  withClosings,
  withStates,
} from '../queries.js'
import { OnchainPositionsReply, WalletOnchainReply } from '../schemas.js'
import { type OnchainFilter, summarizeSet, toKept, WalletSets } from './wallet-sets.js'

const WALLET_POSITIONS_MAX = 20_000
const LIMIT_MAX = 500

const OnchainFilters = {
  since: Type.Optional(UnixSeconds),
  until: Type.Optional(UnixSeconds),
  tag_slug: Type.Optional({
    ...Slug,
    description: 'the slug or the label of a tag, as it is written',
  }),
}

function checkRange({ since, until }: OnchainFilter): void {
  if (since === undefined || until === undefined || since <= until) return
  throw badRequest('Invalid range: `since` must not be later than `until`.')
}

const walletOnchainPositions: Endpoint = {
  path: '/v2/wallets/:address/positions/onchain',
  register: (app, parts) => {
    const sets = new WalletSets()
    const definition = defineAnswer({
      path: walletOnchainPositions.path,
      operationId: 'getWalletOnchainPositions',
      summary: 'All positions of a wallet in one answer',
      description: `The ${WALLET_POSITIONS_MAX} positions of a wallet that changed last, with sums over them. The positions of a wallet are kept for five minutes; \`since\`, \`until\` (both on the newest fill) and \`tag_slug\` choose among what is kept, and the sums are over what they choose.`,
      tag: 'positions',
      access: STANDARD,
      // The answer may be as old as the kept positions.
      dependsOnChain: false,
      errors: { 404: errorReply('No fact names the wallet') },
      params: Type.Object({ address: Address }),
      query: Type.Object(OnchainFilters),
      reply: WalletOnchainReply,
      answer: async ({ sql, nowMs }, { address, ...filter }) => {
        checkRange(filter)
        const now = { nowMs, reorg: await selectLastReorg(sql) }
        const set = await sets.get(address, now, async () =>
          (await selectWalletSet(sql, address)).map(toKept),
        )
        return summarizeSet(address, set, filter)
      },
    })
    definition.register(app, parts)
  },
}

/** Throws a 404 for a wallet that no fact names. */
async function selectWalletSet(sql: Sql, address: string): Promise<ClosedPosition[]> {
  const wallet = await selectWalletId(sql, address)
  const range = await selectSeqRange(sql, {})
  if (wallet === undefined || range === undefined) throw notFound()
  const scope = { until: range.until, wallet, sort: 'last_sec', isAscending: false } as const
  const page = { limit: WALLET_POSITIONS_MAX, offset: 0, after: undefined }
  const positions = await selectPositions(sql, scope, page)
  return withClosings(sql, await withStates(sql, positions, scope))
}

const PaginationKey = Type.String({
  format: 'hex',
  pattern: '^0x[0-9a-fA-F]{40}-[0-9]{1,78}$',
  description: '`pagination_key` of the page before: a wallet, a dash and a token',
})

const onchainPositions = defineAnswer({
  path: '/v2/onchain/positions',
  operationId: 'listOnchainPositions',
  summary: 'Positions of all wallets, or of one',
  description: `With \`wallet\`: its ${LIMIT_MAX} positions that changed last, in one answer. Otherwise pages in an order that never changes: by the wallet and the token, those that the chain named first at the end. \`pagination_key\` goes on behind a page.`,
  tag: 'positions',
  access: PAID_STANDARD,
  narrowBy: ['wallet', 'token_id', 'condition_id', 'market_slug'],
  query: Type.Object({
    wallet: Type.Optional(Address),
    token_id: MarketFilters.token_id,
    condition_id: MarketFilters.condition_id,
    market_slug: MarketFilters.market_slug,
    status: oneOf(['all', 'open', 'closed'], '`open`: with shares; `closed`: without', {
      default: 'all',
    }),
    min_size: Type.Optional(Shares),
    ...OnchainFilters,
    order: oneOf(['asc', 'desc'], '`desc` has the newest first', {
      title: 'SortOrder',
      default: 'desc',
    }),
    limit: Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: 100 }),
    pagination_key: Type.Optional(PaginationKey),
  }),
  reply: OnchainPositionsReply,
  answer: async ({ sql }, input) => {
    checkRange(input)
    const { wallet: address, pagination_key: paginationKey, min_size: sizeMin, status } = input
    if (address !== undefined && paginationKey !== undefined) {
      throw badRequest(
        'Invalid pagination_key: the positions of a wallet are one answer; leave out pagination_key or wallet.',
      )
    }
    const tokens = await selectKnownTokens(sql, input)
    const after = paginationKey === undefined ? undefined : await readKey(sql, paginationKey)
    const wallet = address === undefined ? undefined : await selectWalletId(sql, address)
    const range = await selectSeqRange(sql, {})
    const isUnknown = (address !== undefined && wallet === undefined) || tokens?.length === 0
    const limit = address === undefined ? input.limit : LIMIT_MAX
    if (isUnknown || range === undefined) return presentPage([], { limit, hasMore: false })

    const scope = {
      until: range.until,
      wallet,
      tokens,
      sort: wallet === undefined ? ('id' as const) : ('last_sec' as const),
      isAscending: input.order === 'asc',
      isHeld: status === 'all' ? undefined : status === 'open',
      sizeMin: sizeMin === undefined ? undefined : parseMillionths(sizeMin),
      tag: input.tag_slug,
      filledFrom: input.since,
      filledTo: input.until,
    }
    const { rows, hasMore } = await selectPage(sql, scope, { limit, after })
    const isOfWallet = wallet !== undefined
    const shown = await withClosings(sql, rows)
    return presentPage(shown, { limit, hasMore: hasMore && !isOfWallet, isOfWallet })
  },
})

/**
 * The next rows that are still there. A page whose rows have all gone is passed over: the key of the next one is made
 * of a row that is shown.
 */
async function selectPage(
  sql: Sql,
  scope: PositionScope,
  { limit, after }: { limit: number; after: OrderKey | undefined },
): Promise<{ rows: ShownPosition[]; hasMore: boolean }> {
  const found = await selectPositions(sql, scope, { limit: limit + 1, offset: 0, after })
  const taken = found.slice(0, limit)
  const rows = await withStates(sql, taken, scope)
  const hasMore = found.length > limit
  if (rows.length > 0 || !hasMore) return { rows, hasMore }
  return await selectPage(sql, scope, { limit, after: taken.at(-1)?.key })
}

type OnchainPage = { limit: number; hasMore: boolean; isOfWallet?: boolean }

function presentPage(rows: readonly ClosedPosition[], { limit, hasMore, isOfWallet = false }: OnchainPage) {
  const positions = rows.map((row) => presentOnchainPosition(row, isOfWallet))
  const last = hasMore ? positions.at(-1) : undefined
  const key = last === undefined ? null : `${last.wallet}-${last.token_id}`
  return {
    count: positions.length,
    pagination: { limit, has_more: hasMore, pagination_key: key },
    positions,
  }
}

type TokenFilter = { token_id?: string; condition_id?: string; market_slug?: string }

/** Throws a 400 for a slug or a condition that does not exist. */
async function selectKnownTokens(sql: Sql, { token_id, condition_id, market_slug }: TokenFilter) {
  for (const filter of [{ market_slug }, { condition_id }]) {
    const tokens = await selectTokenIds(sql, filter)
    if (tokens?.length === 0) throw badRequest(`${Object.keys(filter)[0]} not found`)
  }
  return selectTokenIds(sql, { token_id, condition_id, market_slug })
}

/** The sort key of the last row of the page before. */
async function readKey(sql: Sql, text: string): Promise<OrderKey> {
  const [address = '', tokenId = ''] = text.split('-')
  const wallet = await selectWalletId(sql, address)
  const [token] = (await selectTokenIds(sql, { token_id: tokenId })) ?? []
  if (wallet === undefined || token === undefined) {
    throw badRequest('Invalid pagination_key: there is no such wallet or token.')
  }
  return [wallet, token]
}

export const onchainPositionRoutes = endpointRoutes([walletOnchainPositions, onchainPositions])
