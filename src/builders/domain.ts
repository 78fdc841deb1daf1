import type { ChainStatus } from '../core/chain-status.js'
import type { Domain } from '../http/domain.js'
import { BOARD_STATES } from '../lookups/board.js'
import { createSnapshotJob } from '../lookups/snapshot.js'
import type { Platform } from '../platform.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { refreshBoard } from './board/queries.js'
import { refreshProfiles } from './profiles/refresh-profiles.js'
import { builderRoutes } from './routes.js'

const PROFILES_MS = 10 * 60_000
const BOARDS_MS = 5 * 60_000

type BuilderDeps = { chain: ChainStatus; upstreams: Upstreams }

export function createBuilders(platform: Platform, { chain, upstreams }: BuilderDeps): Domain {
  const { store, clock } = platform
  const deps = { store, clock, dataApi: upstreams.dataApi }
  return {
    routes: [builderRoutes(platform)],
    jobs: [
      {
        name: 'builder profiles',
        everyMs: PROFILES_MS,
        roles: ['worker'],
        runsIn: 'one process',
        needsDatabase: true,
        run: (signal) => refreshProfiles(deps, signal),
      },
      createSnapshotJob(platform, chain, {
        name: 'builder leaderboards',
        everyMs: BOARDS_MS,
        state: BOARD_STATES.builders,
        refresh: () => refreshBoard(platform.sql, platform.clock.now()),
      }),
    ],
  }
}
