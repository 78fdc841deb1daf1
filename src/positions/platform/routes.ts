import { Type } from 'typebox'
import { STANDARD } from '../../accounts/access.js'
import type { Admission } from '../../accounts/admission.js'
import { badRequest } from '../../core/errors.js'
import { parseMillionths } from '../../core/money.js'
import { type AnswerTools, defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { Address, AddressList, ConditionId, oneOf, Shares, toAddresses } from '../../http/parameters.js'
import { errorReply } from '../../lib/error-reply.js'
import { groupBy } from '../../lib/group-by.js'
import { selectWalletId, selectWalletIds } from '../../lookups/ids.js'
import { selectTokenIds } from '../../lookups/market-filter.js'
import {
  MarketIdPath,
  PlatformPage,
  presentPlatformMarket,
  requireMarketTokens,
  withPlatformMarkets,
} from '../../lookups/platform-market.js'
import { type SeqRange, selectSeqRange, sinceNamed } from '../../lookups/seq-range.js'
import { presentPlatformTrade, withPlatformNames } from '../../lookups/trades/platform-trades.js'
import { HOLDER_FILLS_MAX, selectTradesOfHolders } from '../../lookups/trades/queries.js'
import { withUsernames } from '../../lookups/usernames.js'
import type { Sql } from '../../store/connection.js'
import { type PlatformPositionRow, presentPlatformPosition } from '../present.js'
import { type PositionScope, type PositionSort, selectPositions, withStates } from '../queries.js'
import { PlatformMarketHolders, PlatformWalletPositions, PlatformWalletsPositions } from './schemas.js'

export type PlatformPositionDeps = { admission: Pick<Admission, 'chargeOrRefuse'> }

const SORTS = {
  TOKENS: 'balance',
  CURRENT: 'value',
  INITIAL: 'initial',
  CASHPNL: 'cash_pnl',
  PERCENTPNL: 'percent_pnl',
  TITLE: 'title',
  RESOLVING: 'end',
  PRICE: 'price',
  AVGPRICE: 'average',
} as const satisfies Record<string, PositionSort>

const format = 'any-case-capitals'

const PositionFilters = {
  sortBy: oneOf(
    Object.keys(SORTS) as (keyof typeof SORTS)[],
    '`TOKENS`: by shares; `RESOLVING`: by the end of the market. By all but `TOKENS` every position that matches is read; in any letter case',
    { default: 'TOKENS', format },
  ),
  sortDirection: oneOf(['ASC', 'DESC'], '`DESC` has the largest first; in any letter case', {
    default: 'DESC',
    format,
  }),
  sizeThreshold: Type.Unsafe<string>({
    ...Shares,
    default: '1',
    description: 'positions with fewer shares are left out',
  }),
  redeemable: Type.Optional(
    Type.Boolean({ description: 'whether the market has a result; without it both are there' }),
  ),
  condition_id: Type.Optional(ConditionId),
}

type Filter = {
  sortBy: keyof typeof SORTS
  sortDirection: 'ASC' | 'DESC'
  sizeThreshold: string
  redeemable?: boolean
  condition_id?: string
}

type Paged = { limit: number; offset?: number }

async function selectRows(
  sql: Sql,
  scope: PositionScope,
  { limit: rows, offset: passed = 0 }: Paged,
): Promise<PlatformPositionRow[]> {
  const page = { limit: rows, offset: passed, after: undefined }
  const shown = await withStates(sql, await selectPositions(sql, scope, page), scope)
  return await withPlatformMarkets(sql, shown)
}

/** The positions of a wallet with shares. */
async function selectOfWallet(sql: Sql, address: string, filter: Filter, page: Paged) {
  const wallet = await selectWalletId(sql, address)
  const range = await selectSeqRange(sql, {})
  const tokens = await selectTokenIds(sql, { condition_id: filter.condition_id })
  if (wallet === undefined || range === undefined || tokens?.length === 0) return []
  const { redeemable } = filter
  const sizeMin = parseMillionths(filter.sizeThreshold)
  const rows = await selectRows(
    sql,
    {
      until: range.until,
      wallet,
      tokens,
      sort: SORTS[filter.sortBy],
      isAscending: filter.sortDirection === 'ASC',
      status: redeemable === undefined ? undefined : redeemable ? 'redeemable' : 'open',
      isHeld: true,
      sizeMin: sizeMin === 0n ? undefined : sizeMin,
    },
    page,
  )
  return rows.map(presentPlatformPosition)
}

const common = {
  tag: 'positions',
  access: { ...STANDARD, cost: 'page' },
  hasElapsed: false,
  narrowBy: ['condition_id', 'sizeThreshold'],
} as const

const walletPositionsV1 = defineAnswer({
  ...common,
  path: '/v1/wallets/:address/positions',
  operationId: 'listPlatformWalletPositions',
  summary: 'Positions of a wallet, in the names of the platform',
  description:
    'What a wallet holds, in the field names of the platform’s Data API and with the numbers of the chain. Combos are left out.',
  params: Type.Object({ address: Address }),
  query: Type.Object({ ...PositionFilters, ...PlatformPage }),
  reply: PlatformWalletPositions,
  answer: async ({ sql }, { address, limit: rows, offset: passed, ...filter }) => {
    const positions = await selectOfWallet(sql, address, filter, { limit: rows, offset: passed })
    return { wallet: address, count: positions.length, limit: rows, offset: passed, positions }
  },
})

const walletsPositionsV1 = defineAnswer({
  ...common,
  path: '/v1/wallets/positions',
  operationId: 'listPlatformWalletsPositions',
  summary: 'Positions of up to 20 wallets',
  description:
    'What each of these wallets holds, as `/v1/wallets/{address}/positions` lists it, up to `limit` of each. It counts as a request for each wallet.',
  query: Type.Object({
    wallets: AddressList,
    ...PositionFilters,
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'rows of each wallet' }),
  }),
  reply: PlatformWalletsPositions,
  answer: async (
    { sql, caller, deps: { admission } }: AnswerTools<PlatformPositionDeps>,
    { wallets, limit: rows, ...filter },
  ) => {
    const [first = '', ...others] = toAddresses(wallets)
    for (const _other of others) await admission.chargeOrRefuse(caller, 'rest')
    const sets = []
    for (const wallet of [first, ...others]) {
      const positions = await selectOfWallet(sql, wallet, filter, { limit: rows })
      sets.push({ wallet, count: positions.length, positions })
    }
    return { count: sets.length, wallets: sets }
  },
})

const TRADES_OF_POSITION = 10
/** With these and `TRADES_OF_POSITION` the trades of an outcome are no more than one statement reads. */
const HOLDERS_WITH_TRADES_MAX = 50

type SideName = 'BUY' | 'SELL'

const marketHoldersV1 = defineAnswer({
  ...common,
  path: '/v1/markets/:id/positions',
  operationId: 'listPlatformMarketHolders',
  summary: 'Holders of a market, by outcome',
  description: `The wallets that hold shares in a market, those with most first, for each outcome a page of its own. With \`user\` the positions of these wallets, also without shares. \`includeTrades\` adds the ${TRADES_OF_POSITION} newest trades of each position, among the ${HOLDER_FILLS_MAX} newest fills of the outcome, to at most ${HOLDERS_WITH_TRADES_MAX} of an outcome; such requests are limited to 60 in a minute.`,
  narrowBy: ['user'],
  errors: { 404: errorReply('Neither the chain nor the catalogue has the market') },
  params: MarketIdPath,
  query: Type.Object({
    user: Type.Optional(AddressList),
    side: Type.Optional(oneOf(['BUY', 'SELL'], 'of the trades that `includeTrades` adds', { format })),
    includeTrades: Type.Boolean({ default: false, description: 'adds trades of the positions' }),
    limit: { ...PlatformPage.limit, description: 'rows of each outcome' },
    offset: { ...PlatformPage.offset, description: 'rows of each outcome to pass over' },
  }),
  reply: PlatformMarketHolders,
  answer: async (
    { sql, caller, deps: { admission } }: AnswerTools<PlatformPositionDeps>,
    { id, user, side, includeTrades, limit: rows, offset: passed },
  ) => {
    if (includeTrades && rows > HOLDERS_WITH_TRADES_MAX) {
      throw badRequest(
        `Invalid limit: at most ${HOLDERS_WITH_TRADES_MAX} of an outcome have trades; leave out includeTrades.`,
      )
    }
    if (includeTrades) await admission.chargeOrRefuse(caller, 'holder_trades')
    const tokens = await requireMarketTokens(sql, id)
    const range = await selectSeqRange(sql, {})
    const wallets = user === undefined ? undefined : await selectWalletIds(sql, toAddresses(user))
    const outcomes = []
    for (const { token, listed } of await withPlatformMarkets(
      sql,
      tokens.map((token) => ({ token })),
    )) {
      const isEmpty = range === undefined || wallets?.length === 0
      const scope = { tokens: [token], wallets, sort: 'balance', isAscending: false } as const
      const isHeld = wallets === undefined ? true : undefined
      const found = isEmpty
        ? []
        : await selectRows(sql, { ...scope, until: range.until, isHeld }, { limit: rows, offset: passed })
      const named = await withUsernames(sql, found, ({ address }) => address)
      const isWithTrades = includeTrades && range !== undefined && named.length > 0
      const trades = isWithTrades ? await selectTradesOf(sql, named, range, side) : undefined
      const positions = named.map((row) => ({
        ...presentPlatformPosition(row),
        name: row.username,
        ...(trades !== undefined && { trades: trades.get(row.address) ?? [] }),
      }))
      const { asset, outcome, outcomeIndex } = presentPlatformMarket(listed)
      outcomes.push({ asset, outcome, outcomeIndex, count: positions.length, positions })
    }
    outcomes.sort((a, b) => a.outcomeIndex - b.outcomeIndex)
    const count = outcomes.reduce((sum, each) => sum + each.count, 0)
    return { market: id, limit: rows, offset: passed, count, outcomes }
  },
})

/** The newest trades of positions in one token, by wallet. */
async function selectTradesOf(
  sql: Sql,
  positions: readonly { wallet: number; token: number }[],
  range: SeqRange,
  side: SideName | undefined,
) {
  const tokens = [...new Set(positions.map(({ token }) => token))]
  const scope = {
    ...(await sinceNamed(sql, range, { tokens })),
    roles: ['maker'],
    tokens,
  } as const
  const rows = await selectTradesOfHolders(sql, scope, {
    wallets: positions.map(({ wallet }) => wallet),
    isSell: side === undefined ? undefined : side === 'SELL',
    limit: TRADES_OF_POSITION,
  })
  const trades = (await withPlatformNames(sql, rows)).map(presentPlatformTrade)
  return groupBy(trades, ({ proxyWallet }) => proxyWallet)
}

export const platformPositionRoutes = endpointRoutes<PlatformPositionDeps>([
  walletPositionsV1,
  walletsPositionsV1,
  marketHoldersV1,
])
