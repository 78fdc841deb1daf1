import { ROLES } from '../config/roles.js'
import type { ChainStatus } from '../core/chain-status.js'
import type { Domain } from '../http/domain.js'
import type { HealthCheck } from '../jobs/job.js'
import type { Platform } from '../platform.js'
import type { Sql } from '../store/connection.js'
import type { UpstreamHealth } from '../upstreams/transport/health.js'
import { type FactCoverage, readFactCoverage } from './coverage.js'
import { statusHistoryRoutes } from './history/routes.js'
import { StatusSampler } from './history/sampler.js'
import { presentProcess, presentUpstreams } from './present.js'
import { ProcessRegistry } from './processes/process-registry.js'
import { measureReplicas } from './replicas.js'
import { statusRoutes } from './routes.js'

const POLL_MS = 250
/** Some times a minute: what lasts for less is not seen. */
const SAMPLE_MS = 5_000
const COVERAGE_MS = 15_000

type StatusDeps = { chain: ChainStatus; health: UpstreamHealth }

/**
 * Leaderboards and statistics are snapshots, which the process that follows the chain makes as soon as it has caught up:
 * until all of them are there, requests should go elsewhere. Once there, they stay.
 */
export function createStatus(platform: Platform, { chain, health }: StatusDeps): Domain {
  let missing: readonly string[] = ['not looked for yet']
  let coverage: FactCoverage | null = null
  const registry = new ProcessRegistry(platform, chain)
  measureReplicas(platform.store.replicas, platform.metrics)
  const sampler = new StatusSampler({ platform, chain, health })
  return {
    probes: [statusRoutes(platform)],
    routes: [statusHistoryRoutes(platform)],
    jobs: [
      {
        name: 'process heartbeat',
        everyMs: 0,
        roles: ROLES,
        runsIn: 'every process',
        needsDatabase: true,
        run: (signal) => registry.run(signal),
      },
      {
        name: 'status samples',
        everyMs: SAMPLE_MS,
        roles: ROLES,
        runsIn: 'every process',
        needsDatabase: false,
        run: () => sampler.look(),
      },
      {
        name: 'status coverage',
        everyMs: COVERAGE_MS,
        roles: ['api'],
        runsIn: 'every process',
        needsDatabase: true,
        run: async () => {
          coverage = await readFactCoverage(platform)
        },
      },
      {
        name: 'board readiness',
        everyMs: POLL_MS,
        roles: ['api'],
        runsIn: 'every process',
        needsDatabase: true,
        run: async () => {
          if (missing.length > 0) missing = await selectMissing(platform.sql)
        },
      },
    ],
    status: {
      fields: () => ({
        upstreams: presentUpstreams(platform.config, health),
        coverage,
        processes: registry.live.map(presentProcess),
      }),
      check: () => [registry.check(), checkBoards()].filter((check) => check !== undefined),
    },
  }

  function checkBoards(): HealthCheck | undefined {
    if (!platform.config.roles.includes('api')) return undefined
    // Without a node there is nothing to count.
    if (chain.follower === undefined && chain.elsewhere === undefined) return undefined
    const isReady = missing.length === 0
    return {
      name: 'boards',
      status: isReady ? 'ready' : 'not_ready',
      isReady,
      problem: isReady ? undefined : `being computed for the first time: ${missing.join(', ')}`,
    }
  }
}

async function selectMissing(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name
      from (values
        ('leaderboards', exists (select from board_state where block is not null)),
        ('statistics', (select count(*) = 4 from stats_snapshots)),
        ('builder leaderboards', exists (select from builder_board_state where taken_at is not null)),
        ('combos', exists (select from combo_state
                            where head_block is not null and ranked_block is not null))
      ) as snapshot (name, is_made)
     where not is_made`
  return rows.map(({ name }) => name)
}
