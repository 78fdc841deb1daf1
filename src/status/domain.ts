import type { ChainStatus } from '../core/chain-status.js'
import type { Domain } from '../http/domain.js'
import type { Platform } from '../platform.js'
import type { Sql } from '../store/connection.js'
import { statusRoutes } from './routes.js'

const POLL_MS = 250

/**
 * Leaderboards and statistics are snapshots, which the process that follows the chain makes as soon as it has caught up:
 * until all of them are there, requests should go elsewhere. Once there, they stay.
 */
export function createStatus(platform: Platform, { chain }: { chain: ChainStatus }): Domain {
  let missing: readonly string[] = ['not looked for yet']
  return {
    routes: [statusRoutes(platform)],
    jobs: [
      {
        name: 'board readiness',
        everyMs: POLL_MS,
        runsIn: 'every process',
        needsDatabase: true,
        run: async () => {
          if (missing.length > 0) missing = await selectMissing(platform.sql)
        },
      },
    ],
    status: {
      check: () => {
        // Without a node there is nothing to count.
        if (chain.follower === undefined) return undefined
        const isReady = missing.length === 0
        return {
          name: 'boards',
          status: isReady ? 'ready' : 'not_ready',
          isReady,
          problem: isReady ? undefined : `being computed for the first time: ${missing.join(', ')}`,
        }
      },
    },
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
