import type { Context } from '../context.js'
import type { DomainWork } from '../jobs/job.js'
import { untilLive } from '../jobs/until-live.js'
import { createSnapshotJob } from '../lookups/snapshot.js'
import { refreshBoard } from './board/queries.js'
import { refreshProfiles } from './profiles/refresh-profiles.js'

const PROFILES_MS = 10 * 60_000
const BOARDS_MS = 5 * 60_000

export function createBuilderWork(ctx: Context): DomainWork {
  const deps = { store: ctx.store, clock: ctx.clock, dataApi: ctx.upstreams.dataApi }
  return {
    jobs: [
      {
        name: 'builder profiles',
        everyMs: PROFILES_MS,
        runsIn: 'one process',
        needsDatabase: true,
        run: (signal) => refreshProfiles(deps, signal),
      },
      createSnapshotJob(ctx, {
        name: 'builder leaderboards',
        everyMs: BOARDS_MS,
        startsAfter: (signal) => untilLive(ctx, signal),
        state: (sql) => sql`select block, rewind from builder_board_state`,
        refresh: () => refreshBoard(ctx.sql, ctx.clock.now()),
      }),
    ],
  }
}
