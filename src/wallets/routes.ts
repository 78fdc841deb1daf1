import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import { V3 } from '../accounts/access.js'
import { type AnswerTools, defineAnswer } from '../http/answer.js'
import { endpointRoutes } from '../http/endpoint.js'
import { clampCount } from '../lib/clamp-count.js'
import { selectWalletId } from '../lookups/ids.js'
import type { PositionKind } from '../lookups/position-sql.js'
import { selectSeqRange } from '../lookups/seq-range.js'
import type { Platform } from '../platform.js'
import type { Sql } from '../store/connection.js'
import { PnlCalculations } from './pnl-calculations.js'
import {
  isNarrowed,
  type PnlFilter,
  type PnlWindow,
  resolvePnlWindow,
  resolveTokenScope,
} from './pnl-scope.js'
import {
  presentAccounting,
  presentBuckets,
  presentCombos,
  presentRealized,
  presentSummary,
  presentSummaryBucket,
  presentUnrealized,
  REALIZED_SOURCE,
} from './present.js'
import {
  type SummaryRow,
  selectPnlBuckets,
  selectRealized,
  selectSummaryOf,
  selectWalletSummaries,
} from './queries.js'
import {
  BatchBody,
  BatchReply,
  IncludeCombos,
  PnlEventsReply,
  PnlFilters,
  PnlGroupParameter,
  PnlReply,
  PnlTime,
  WalletPath,
  WalletReply,
} from './schemas.js'
import { addSummaries, EMPTY_SUMMARY, NOTHING_REALIZED, type WalletSummary } from './wallet-summary.js'

const BUCKETS_MAX = 1_000

const wallet = defineAnswer({
  path: '/v3/wallets/:address',
  operationId: 'getWallet',
  summary: 'Profit and loss of a wallet',
  description:
    'What all positions of a wallet add up to, up to the last booked block. `gross_profit` and `gross_loss` are sums over positions, each with what it realized and what it would add at the price of now. Combos count with `include_combos` alone. A wallet that never traded has zeros.',
  tag: 'wallets',
  access: V3,
  params: WalletPath,
  query: Type.Object({
    include_combos: IncludeCombos,
    include_accounting_summary: Type.Boolean({
      default: false,
      description: 'adds the fees that the wallet paid, without those of combos',
    }),
  }),
  reply: WalletReply,
  answer: async ({ sql }, { address, ...options }) => {
    const [row, combos] = await Promise.all([
      selectSummary(sql, 'market', address),
      options.include_combos ? selectSummary(sql, 'combo', address) : undefined,
    ])
    return {
      address,
      ...presentWithCombos(row, combos),
      ...(options.include_accounting_summary && { accounting_summary: presentAccounting(row) }),
    }
  },
})

const walletBatch = defineAnswer({
  path: '/v3/wallets/batch',
  method: 'POST',
  operationId: 'getWallets',
  summary: 'Profit and loss of up to 100 wallets',
  description:
    'The totals of several wallets, in the order of the request. An address that is given twice is answered once.',
  tag: 'wallets',
  access: { ...V3, isRead: true },
  body: BatchBody,
  reply: BatchReply,
  answer: async ({ sql }, { wallets }) => {
    const addresses = [...new Set(wallets.map((address) => address.toLowerCase()))]
    const rows = await selectWalletSummaries(sql, 'market', addresses)
    return {
      count: rows.length,
      wallets: rows.map((row) => ({ wallet: row.address, ...presentSummary(row) })),
    }
  },
})

const walletPnlEvents = defineAnswer({
  path: '/v3/wallets/:address/pnl/events',
  operationId: 'getWalletPnlEvents',
  summary: 'Realized profit and loss of a wallet by time',
  description:
    'What a wallet realized in each hour, day, week or month of a window. Without `period`, `after` and `before` there is one bucket with the totals of the wallet, in which events are positions. Combos do not count.',
  tag: 'wallets',
  access: V3,
  narrowBy: ['period', 'after', 'before'],
  params: WalletPath,
  query: Type.Object({
    group: PnlGroupParameter,
    ...PnlTime,
    limit: Type.Integer({
      default: BUCKETS_MAX,
      description: `buckets in the answer, at most ${BUCKETS_MAX}; the latest are kept`,
    }),
  }),
  reply: PnlEventsReply,
  answer: async ({ sql, nowMs }, { address, group, limit, ...time }) => {
    const nowSec = Math.floor(nowMs / 1000)
    const window = resolvePnlWindow(time, nowSec)
    if (window === undefined) {
      const summary = await selectSummary(sql, 'market', address)
      return { address, granularity: group, ...presentSummaryBucket(summary, nowSec) }
    }
    const bucketsMax = clampCount(limit, BUCKETS_MAX)
    const found = await selectInWindow(sql, address, window, (id, range) =>
      selectPnlBuckets(sql, id, group, range, bucketsMax + 1),
    )
    const latest = (found ?? []).slice(0, bucketsMax)
    return {
      address,
      granularity: group,
      ...presentWindow(window, nowSec),
      ...presentBuckets(latest.reverse()),
      ...(found !== undefined && found.length > bucketsMax && { truncated: true as const }),
    }
  },
})

/** `calculations`: of the application that it is part of. */
const walletPnl = (calculations: PnlCalculations) =>
  defineAnswer({
    path: '/v3/wallets/:address/pnl',
    operationId: 'getWalletPnl',
    summary: 'Profit and loss of a wallet in some markets or some time',
    description:
      'Without `period`, `after` and `before` the totals of the wallet, over the positions in the markets that the filters leave. With one of them what the wallet realized in that time, in which events are sales, merges, redemptions and conversions. Combos count with `include_combos` and without any filter alone. An account has two calculations at a time; a third waits for 750 ms.',
    tag: 'wallets',
    access: V3,
    narrowBy: ['period', 'after', 'before', 'market_slug', 'condition_id'],
    params: WalletPath,
    query: Type.Object({
      ...PnlTime,
      ...PnlFilters,
      include_unrealized: Type.Boolean({
        default: false,
        description: 'adds what is unrealized now to the answer for a window; totals always have it',
      }),
      include_combos: IncludeCombos,
    }),
    reply: PnlReply,
    answer: (tools, { address, include_combos, include_unrealized, ...request }) =>
      calculations.run(tools, async () => {
        const { period, after, before, ...filter } = request
        const window = resolvePnlWindow({ period, after, before }, Math.floor(tools.nowMs / 1000))
        if (window === undefined) return answerAllTime(tools, address, filter, include_combos)
        const fields = await answerWindow(tools, address, window, filter, include_unrealized)
        return {
          ...fields,
          ...(period !== undefined && { period }),
          ...(include_combos && presentCombos(undefined)),
        }
      }),
  })

async function answerAllTime(
  { sql }: AnswerTools,
  address: string,
  filter: PnlFilter,
  isWithCombos: boolean,
) {
  if (!isNarrowed(filter)) {
    const [row, combos] = await Promise.all([
      selectSummary(sql, 'market', address),
      isWithCombos ? selectSummary(sql, 'combo', address) : undefined,
    ])
    return { address, ...presentWithCombos(row, combos) }
  }
  const summary = await selectNarrowedSummary(sql, address, filter)
  return { address, ...presentSummary(summary), ...(isWithCombos && presentCombos(undefined)) }
}

async function answerWindow(
  { sql, nowMs }: AnswerTools,
  address: string,
  window: PnlWindow,
  filter: PnlFilter,
  isWithUnrealized: boolean,
) {
  const scope = await resolveTokenScope(sql, filter)
  const realized =
    (await selectInWindow(sql, address, window, (id, range) => selectRealized(sql, id, range, scope))) ??
    NOTHING_REALIZED
  const summary = isWithUnrealized ? await selectNarrowedSummary(sql, address, filter) : undefined
  return {
    address,
    ...presentRealized(realized),
    source: REALIZED_SOURCE,
    ...presentWindow(window, Math.floor(nowMs / 1000)),
    ...(summary !== undefined && presentUnrealized(realized, summary)),
  }
}

async function selectSummary(sql: Sql, kind: PositionKind, address: string): Promise<SummaryRow> {
  const [row] = await selectWalletSummaries(sql, kind, [address])
  if (row === undefined) throw new Error('a wallet that is asked for has a row')
  return row
}

async function selectNarrowedSummary(sql: Sql, address: string, filter: PnlFilter): Promise<WalletSummary> {
  if (!isNarrowed(filter)) return await selectSummary(sql, 'market', address)
  const [id, scope] = await Promise.all([selectWalletId(sql, address), resolveTokenScope(sql, filter)])
  return id === undefined ? EMPTY_SUMMARY : await selectSummaryOf(sql, id, scope)
}

/** `undefined`: the wallet is unknown, or the window is empty. Throws when the window ends before it begins. */
async function selectInWindow<Result>(
  sql: Sql,
  address: string,
  window: PnlWindow,
  select: (wallet: number, range: { min: number; until: number }) => Promise<Result>,
): Promise<Result | undefined> {
  const [id, range] = await Promise.all([selectWalletId(sql, address), selectSeqRange(sql, window)])
  return id === undefined || range === undefined ? undefined : await select(id, range)
}

const presentWindow = ({ after, before }: PnlWindow, nowSec: number) => ({
  after,
  before: before ?? nowSec,
})

function presentWithCombos(row: WalletSummary, combos: WalletSummary | undefined) {
  if (combos === undefined) return presentSummary(row)
  const fields = presentSummary(addSummaries(row, combos))
  return { ...fields, ...presentCombos(combos), realized_pnl: fields.net_realized_pnl }
}

export const walletRoutes = (platform: Platform): FastifyPluginAsync =>
  endpointRoutes([wallet, walletBatch, walletPnl(new PnlCalculations()), walletPnlEvents])(platform)
