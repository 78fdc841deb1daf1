import { Type } from 'typebox'
import { STANDARD } from '../../accounts/access.js'
import { type AnswerTools, defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { oneOf } from '../../http/parameters.js'
import { Decimal } from '../../http/row-fields.js'
import { errorReply } from '../../lib/error-reply.js'
import { namedObject } from '../../lib/named-object.js'
import type { StaleFallbackCache } from '../../lib/stale-fallback-cache.js'
import type { DataApiClient } from '../../upstreams/data-api/client.js'
import type { DataLeader } from '../../upstreams/data-api/parse.js'
import { withUpstreamTimeout } from '../../upstreams/transport/upstream-timeout.js'

export type PlatformBoardDeps = { dataApi: Pick<DataApiClient, 'listLeaders'>; boards: StaleFallbackCache }

const TRADERS_MAX = 20
const FRESH_MS = 60_000

const PERIODS = { daily: 'DAY', weekly: 'WEEK', monthly: 'MONTH', all: 'ALL' } as const
const SORTS = { profit: 'PNL', volume: 'VOL' } as const

const keysOf = <Key extends string>(record: Record<Key, string>) => Object.keys(record) as Key[]

const Trader = namedObject('PlatformLeader', {
  rank: Type.Integer({ minimum: 1 }),
  wallet: Type.String(),
  name: Type.String({ description: 'as the platform shows it; empty: it shows none' }),
  pnl: Decimal('dollars'),
  volume: Decimal('dollars'),
  profileImage: Type.String({ description: 'the address of an image; empty: none' }),
})

const presentLeader = ({ rank, wallet, name, pnl, volume, profileImage }: DataLeader) => ({
  rank,
  wallet,
  name: name ?? '',
  pnl,
  volume,
  profileImage: profileImage ?? '',
})

const platformLeaderboard = defineAnswer({
  path: '/v1/leaderboard',
  operationId: 'listPlatformLeaders',
  summary: "The platform's own board of traders",
  description: `The first ${TRADERS_MAX} traders by profit or by volume of a day, a week, a month or all time, as the platform counts them and with the names that it shows; read again after a minute. \`/v3/leaderboard\` is made from the chain.`,
  tag: 'leaderboards',
  access: { ...STANDARD, cost: 'page' },
  hasElapsed: false,
  dependsOnChain: false,
  errors: { 502: errorReply('The platform does not answer, and there is no copy of the last 12 hours') },
  query: Type.Object({
    period: oneOf(keysOf(PERIODS), 'the time that counts, up to now', { default: 'all' }),
    sort: oneOf(keysOf(SORTS), 'what the traders are ranked by', { default: 'profit' }),
  }),
  reply: namedObject('PlatformLeaderboard', {
    traders: Type.Array(Trader),
    period: Type.String({ enum: keysOf(PERIODS) }),
    sort: Type.String({ enum: keysOf(SORTS) }),
    count: Type.Integer({ minimum: 0 }),
  }),
  answer: async ({ caller, deps }: AnswerTools<PlatformBoardDeps>, { period, sort }) => {
    const { accountId } = caller
    const board = { timePeriod: PERIODS[period], orderBy: SORTS[sort], limit: TRADERS_MAX }
    const { value } = await deps.boards.get(`${period} ${sort}`, {
      freshMs: FRESH_MS,
      accountId,
      load: () =>
        withUpstreamTimeout('data_api', (signal) => deps.dataApi.listLeaders(board, { signal, accountId })),
    })
    const traders = value.slice(0, TRADERS_MAX).map(presentLeader)
    return { traders, period, sort, count: traders.length }
  },
})

export const platformBoardRoutes = endpointRoutes<PlatformBoardDeps>([platformLeaderboard])
