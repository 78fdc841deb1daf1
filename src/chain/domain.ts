import { ROLES } from '../config/roles.js'
import { type ChainStatus, moveHead, NO_NODE, NOTHING_BOOKED } from '../core/chain-status.js'
import { presentAge } from '../core/clock.js'
import type { Domain } from '../http/domain.js'
import type { StatusPart } from '../jobs/job.js'
import type { Platform } from '../platform.js'
import type { Target } from '../store/connection.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { Ingest, type LivePublisher } from './ingest.js'
import { countWallets, selectState } from './queries.js'
import { dropOldFacts } from './write/partitions.js'

const STATUS_MS = 1_000
const RETENTION_MS = 60 * 60 * 1000

/** Answers count as fresh while the last booked block is no older than this. */
const HEAD_AGE_SEC_MAX = 60

type ChainDomain = Domain & {
  /** Books the chain whenever no other process does, until the signal aborts. */
  lead(signal: AbortSignal): Promise<void>
}

type ChainDeps = {
  /** The database, for the connections of the ingest's own. */
  target: Target
  upstreams: Upstreams
  /** Publishes what is booked. */
  live: LivePublisher & { readonly status: { pendingTransactions: number } }
  /** Kept up to date for all domains. */
  chain: ChainStatus
}

export function createChain(
  platform: Platform,
  { target, upstreams, live, chain: status }: ChainDeps,
): ChainDomain {
  const { config, clock, log, metrics: registry } = platform
  const books = config.roles.includes('ingest')
  const polygon = books ? upstreams.polygon : undefined
  if (!books) status.elsewhere = 'behind'
  platform.store.replicas.follow(status)
  const ingest =
    polygon && new Ingest({ config, target, upstreams, polygon, live, status, clock, log, registry })
  ingest?.report()
  const part = chainStatus(status)
  return {
    jobs: [
      {
        name: 'chain status',
        everyMs: STATUS_MS,
        roles: ROLES,
        runsIn: 'every process',
        needsDatabase: true,
        run: async () => {
          const { block, blockTime } = await selectState(platform.sql)
          status.wallets = await countWallets(platform.sql)
          moveHead(status, { block: block ?? 0, timeSec: blockTime ?? 0 })
          ingest?.report()
        },
      },
      {
        name: 'retention',
        everyMs: RETENTION_MS,
        roles: ['worker'],
        runsIn: 'one process',
        needsDatabase: true,
        run: () => dropOldFacts(platform.sql, clock.now(), config.retentionDays),
      },
    ],
    status: {
      ...part,
      fields: (nowMs) => ({
        ...part.fields?.(nowMs),
        pending_txs: live.status.pendingTransactions,
      }),
      warnings: () => ingest?.warnings ?? [],
    },
    lead: async (signal) => await ingest?.run(signal),
  }
}

export const chainStatus = (status: ChainStatus): StatusPart => ({
  fields: (nowMs) => {
    const { head, follower, elsewhere, isNodeConnected, quarantined, wallets } = status
    return {
      node_connected: isNodeConnected,
      state: { wallet_count: wallets, latest_block: head.block },
      chain: {
        phase: follower?.phase ?? (elsewhere === undefined ? 'off' : 'standby'),
        node_block: follower?.nodeBlock ?? null,
        block: head.block,
        lag_blocks: presentLag(follower?.nodeBlock, head.block),
        block_age_seconds: presentAge(head.timeSec, nowMs),
        problem: follower === undefined ? findProblem(status, nowMs) : (follower.problem ?? null),
        quarantined,
      },
    }
  },
  check: (nowMs) => {
    const problem = findProblem(status, nowMs) ?? undefined
    const { follower, elsewhere, head } = status
    // Without a node the service answers what it can: prices, books, the catalogue. A process that leaves the chain to
    // others answers with what they have booked.
    const isReady =
      problem === undefined || (follower === undefined && (elsewhere === undefined || head.block > 0))
    const ofProblem = isReady ? 'degraded' : 'not_ready'
    return { name: 'chain', status: problem === undefined ? 'ready' : ofProblem, isReady, problem }
  },
})

/** `null`: one of the two is not known. The number of the node may be from before the last block was booked. */
const presentLag = (nodeBlock: number | undefined, block: number): number | null =>
  nodeBlock === undefined || block === 0 ? null : Math.max(0, nodeBlock - block)

/** `null`: all is well. */
function findProblem({ follower, elsewhere, head }: ChainStatus, nowMs: number): string | null {
  const ageSec = Math.floor(nowMs / 1000) - head.timeSec
  const isFresh = head.block > 0 && ageSec <= HEAD_AGE_SEC_MAX
  // Another process may book what this one, which has no node, serves.
  if (follower === undefined && elsewhere === undefined) return isFresh ? null : NO_NODE
  if (follower?.problem !== undefined) return follower.problem
  if (follower === undefined || follower.phase === 'live' || follower.phase === 'standby') {
    if (head.block === 0) return follower === undefined ? NOTHING_BOOKED : 'nothing is booked yet'
    return isFresh ? null : `the last block is ${ageSec} seconds old`
  }
  // A process that takes the chain over serves what it served before while it reads the blocks since then.
  if (follower.hasServed === true && isFresh) return null
  return `catching up: block ${head.block} of ${follower.nodeBlock ?? '?'}`
}
