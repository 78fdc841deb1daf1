import type { FastifyPluginAsync } from 'fastify'
import { type KeyedAccess, PAID_STANDARD } from '../accounts/access.js'
import { type AnswerTools, defineAnswer } from '../http/answer.js'
import { type Endpoint, endpointRoutes } from '../http/endpoint.js'
import type { Alarm } from '../lib/alarm.js'
import { FairSemaphore } from '../lib/fair-semaphore.js'
import type { Platform } from '../platform.js'
import { rankPool } from './leaderboard.js'
import { scoreBatch, scoreNow } from './on-demand.js'
import { addWallets, lastRefreshOf, type PoolOwner, readPool, removeWallets } from './pool.js'
import { selectPoolWallets } from './pool-queries.js'
import { presentFailedScore, presentFailure, presentStoredScore, presentWindowScore } from './present.js'
import { readBatchBody, readPoolBody } from './read-body.js'
import {
  AddReply,
  BatchScoreBody,
  BatchScoreReply,
  BoardParameters,
  CopyBoardReply,
  PoolBody,
  RemoveReply,
  ScoreParameters,
  ScorePath,
  SnapshotQuery,
  SnapshotReply,
  WalletScoreReply,
  WalletsReply,
} from './schemas.js'
import {
  COPY_PERIOD_DAYS,
  COPY_PERIODS,
  type CopyPeriod,
  parseSlippage,
  resolveCopyWindow,
} from './window.js'

const COMMON = { tag: 'copy-pnl', hasElapsed: false } as const
/** What is kept of pools. */
const STORED = { ...COMMON, dependsOnChain: false } as const
/** All endpoints share one bucket, where the operator wants that. */
const LIMITED: KeyedAccess = { ...PAID_STANDARD, buckets: ['rest', 'copy_pnl'] }

const ownerOf = ({ caller, nowMs }: AnswerTools): PoolOwner => ({
  keyId: caller.keyId,
  walletsMax: caller.plan.copyPnlPoolMax,
  nowMs,
})

type CopyPnlDeps = {
  /** Rung when wallets were added to a pool. */
  alarm: Alarm
}

const poolEndpoints = (access: KeyedAccess): Endpoint<CopyPnlDeps>[] => [
  defineAnswer({
    ...STORED,
    access,
    path: '/v2/copy-pnl/wallets',
    method: 'POST',
    operationId: 'addPoolWallets',
    summary: 'Add wallets to your pool',
    description:
      'Every key has a pool of its own. The answer comes at once; new wallets are scored behind it, within seconds. All addresses must be right, or none is added. Those that do not fit are left out, the last ones first.',
    body: PoolBody,
    readBody: readPoolBody,
    reply: AddReply,
    answer: async (tools: AnswerTools<CopyPnlDeps>, { addresses }) => {
      const owner = ownerOf(tools)
      const { added, alreadyTracked, total, dropped } = await addWallets(tools.platform.sql, owner, addresses)
      if (added > 0) tools.deps.alarm.ring()
      const { walletsMax: max } = owner
      const hint = `The pool is full, and ${dropped} of the wallets did not fit. Remove some first.`
      return {
        added,
        already_tracked: alreadyTracked,
        total,
        max,
        capped: dropped > 0,
        refresh_kicked: added,
        ...(dropped > 0 && { hint }),
      }
    },
  }),
  defineAnswer({
    ...STORED,
    access,
    path: '/v2/copy-pnl/wallets',
    method: 'DELETE',
    operationId: 'removePoolWallets',
    summary: 'Take wallets out of your pool',
    description:
      'With a JSON body, as they were added. Wallets that are not in the pool are ignored. Scores stay for a day: a wallet that is added again within it has them at once.',
    body: PoolBody,
    readBody: readPoolBody,
    reply: RemoveReply,
    answer: async (tools, { addresses }) => {
      const owner = ownerOf(tools)
      return {
        ...(await removeWallets(tools.platform.sql, owner, addresses)),
        max: owner.walletsMax,
      }
    },
  }),
  defineAnswer({
    ...STORED,
    access,
    path: '/v2/copy-pnl/wallets',
    operationId: 'listPoolWallets',
    summary: 'The wallets of your pool',
    description: 'All of them, whether they are scored or not.',
    reply: WalletsReply,
    answer: async ({ sql, caller }) => {
      const wallets = await selectPoolWallets(sql, caller.keyId)
      return { wallets, count: wallets.length, max: caller.plan.copyPnlPoolMax }
    },
  }),
]

const scoreEndpoints = (access: KeyedAccess): Endpoint[] => [
  defineAnswer({
    ...STORED,
    access,
    path: '/v2/copy-pnl/snapshot',
    operationId: 'getPoolSnapshot',
    summary: 'Every wallet of your pool with its scores',
    description:
      'One answer without pages. A wallet that was added a moment ago has null for each period. `error` says why the last walk of a wallet failed; the scores are older ones then.',
    query: SnapshotQuery,
    reply: SnapshotReply,
    answer: async ({ sql, caller }, { periods: text }) => {
      const periods = readPeriods(text)
      const days = periods.map((period) => COPY_PERIOD_DAYS[period])
      const entries = await readPool(sql, caller.keyId, days)
      const isScored = ({ scores }: (typeof entries)[number]) => scores.size > 0
      const isErrored = ({ error }: (typeof entries)[number]) => error !== null
      return {
        total_in_pool: entries.length,
        scored_any: entries.filter(isScored).length,
        errored_any: entries.filter(isErrored).length,
        pending_any: entries.filter((entry) => !isScored(entry) && !isErrored(entry)).length,
        periods,
        last_refresh: lastRefreshOf(entries),
        wallets: entries.map((entry) => {
          const failure = presentFailure(entry)
          const scores = periods.map((period) => {
            const score = entry.scores.get(COPY_PERIOD_DAYS[period])
            return [period, score === undefined ? null : presentStoredScore(score)] as const
          })
          return {
            wallet: entry.wallet,
            periods: Object.fromEntries(scores),
            ...(failure !== undefined && { error: failure }),
          }
        }),
      }
    },
  }),
  defineAnswer({
    ...STORED,
    access,
    path: '/v2/copy-pnl/leaderboard',
    operationId: 'getPoolLeaderboard',
    summary: 'The wallets of your pool, ranked',
    description:
      'By what it would have earned to copy them with a slippage of 2 %, or by another figure. Wallets without a score and those whose last walk failed are counted, and not listed.',
    query: BoardParameters,
    reply: CopyBoardReply,
    answer: async ({ sql, caller }, query) => {
      const { period, sort_by: sortBy, order, offset, limit } = query
      const { min_trade_count: tradesMin, exclude_toxic: excludesToxic } = query
      const days = COPY_PERIOD_DAYS[period]
      const entries = await readPool(sql, caller.keyId, [days])
      const isAscending = order === 'asc'
      const boardQuery = { days, sortBy, isAscending, tradesMin, excludesToxic, offset, limit }
      const board = rankPool(entries, boardQuery)
      return {
        period,
        sort_by: sortBy,
        order,
        filters: { min_trade_count: tradesMin, exclude_toxic: excludesToxic },
        total_in_pool: entries.length,
        scored: board.scored,
        filtered_in: board.filteredIn,
        pending: board.pending,
        errored: board.errored,
        offset,
        limit,
        last_refresh: lastRefreshOf(entries),
        results: board.results.map(({ rank, wallet, score }) => ({
          local_rank: rank,
          wallet,
          ...presentStoredScore(score),
        })),
        ...(board.errored > 0 && {
          errored_sample: board.erroredSample.flatMap((entry) => {
            const failure = presentFailure(entry)
            return failure === undefined ? [] : [{ wallet: entry.wallet, ...failure }]
          }),
        }),
        ...(board.pending > 0 && { pending_sample: board.pendingSample }),
      }
    },
  }),
]

/** In the order of the request, each once. */
function readPeriods(text: string | undefined): CopyPeriod[] {
  if (text === undefined) return [...COPY_PERIODS]
  return [...new Set(text.split(',').map((period) => period.trim() as CopyPeriod))]
}

const NOW = { ...COMMON, narrowBy: ['period', 'from', 'to'] } as const

/** `scans`: of the application that they are part of. */
const onDemandEndpoints = (access: KeyedAccess, scans: FairSemaphore): Endpoint[] => [
  defineAnswer({
    ...NOW,
    access: { ...access, isRead: true },
    path: '/v2/copy-pnl/batch',
    method: 'POST',
    operationId: 'scoreWallets',
    summary: 'Score up to 100 wallets now',
    description:
      'In the order of the request; an address that is given twice is answered once. Eight at a time, 45 seconds at most: a wallet that fails has an `error` in its place. The window is the last 30 days unless `from` or `to` is given, and has at most 180 days.',
    body: BatchScoreBody,
    readBody: readBatchBody,
    reply: BatchScoreReply,
    hasElapsed: true,
    answer: async ({ sql, nowMs }, { addresses, include_trades = false, ...requested }) => {
      const nowSec = Math.floor(nowMs / 1000)
      const results = await scoreBatch({ sql, scans }, addresses, {
        window: resolveCopyWindow(requested, nowSec),
        slippageBp: parseSlippage(requested.slippage),
        includesTrades: include_trades,
      })
      return {
        count: results.length,
        results: results.map((result) =>
          'error' in result ? presentFailedScore(result) : presentWindowScore(result, nowSec),
        ),
      }
    },
  }),
  defineAnswer({
    ...NOW,
    access,
    path: '/v2/copy-pnl/:wallet',
    operationId: 'scoreWallet',
    summary: 'Score any wallet now',
    description:
      'Over the last days of a period, or from one time to another, at most 180 days. `slippage` is how much worse the prices of a copier are. What is not read within 30 seconds is left out, and `partial` is true. Of the trades the newest 10,000 are listed.',
    params: ScorePath,
    query: ScoreParameters,
    reply: WalletScoreReply,
    answer: async ({ sql, nowMs }, { wallet, include_trades, slippage, ...requested }) => {
      const nowSec = Math.floor(nowMs / 1000)
      const order = {
        window: resolveCopyWindow(requested, nowSec),
        slippageBp: parseSlippage(slippage),
        includesTrades: include_trades,
      }
      return presentWindowScore(await scoreNow({ sql, scans }, wallet, order), nowSec)
    },
  }),
]

export function copyPnlRoutes(platform: Platform, deps: CopyPnlDeps): FastifyPluginAsync {
  const access = platform.config.copyPnlLimit === 'on' ? LIMITED : PAID_STANDARD
  const endpoints = [
    ...poolEndpoints(access),
    ...scoreEndpoints(access),
    ...onDemandEndpoints(access, new FairSemaphore()),
  ]
  return endpointRoutes(endpoints)(platform, deps)
}
