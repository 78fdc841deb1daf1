import { Gauge } from 'prom-client'
import { selectCatalogueState } from '../catalogue/queries.js'
import type { ChainStatus } from '../core/chain-status.js'
import type { Domain } from '../http/domain.js'
import type { Job } from '../jobs/job.js'
import { StaleFallbackCache } from '../lib/stale-fallback-cache.js'
import { BOARD_STATES } from '../lookups/board.js'
import { createSnapshotJob } from '../lookups/snapshot.js'
import type { Platform } from '../platform.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { platformBoardRoutes } from './platform/routes.js'
import { refreshBoards } from './refresh/refresh.js'
import { leaderboardRoutes } from './routes.js'

/** Every refresh ends the cursors of the boards before it, so they are no more frequent than promised. */
const REFRESH_MS = 45_000

/** How long the platform's board is shown while the platform does not answer. */
const PLATFORM_STALE_MS_MAX = 12 * 60 * 60_000

type LeaderboardDeps = { chain: ChainStatus; upstreams: Upstreams }

export function createLeaderboards(platform: Platform, { chain, upstreams }: LeaderboardDeps): Domain {
  const boards = new StaleFallbackCache({
    clock: platform.clock,
    limits: { max: 16 },
    staleMsMax: PLATFORM_STALE_MS_MAX,
  })
  const last: LastRefresh = { asOfSec: undefined, refreshedMs: undefined }
  new Gauge({
    name: 'auspex_leaderboards_age_seconds',
    help: 'Time since the moment that the leaderboards speak of, -1 before this process made them',
    registers: [platform.metrics],
    collect() {
      this.set(last.asOfSec === undefined ? -1 : platform.clock.now() / 1000 - last.asOfSec)
    },
  })
  return {
    routes: [
      leaderboardRoutes(platform),
      platformBoardRoutes(platform, { dataApi: upstreams.dataApi, boards }),
    ],
    jobs: [createBoardJob(platform, chain, last)],
    status: {
      fields: () => {
        const { asOfSec = null, refreshedMs } = last
        const refreshedSec = refreshedMs === undefined ? null : Math.floor(refreshedMs / 1000)
        return { leaderboards: { as_of: asOfSec, last_refresh: refreshedSec } }
      },
    },
  }
}

/** The time that the boards are as of, and when this process last refreshed them; `undefined`: not yet. */
export type LastRefresh = { asOfSec: number | undefined; refreshedMs: number | undefined }

/**
 * Blocks of a long catch-up are booked without a journal: each refresh would have to make all boards again. While the
 * catalogue is read for the first time all markets change their scopes, so the boards wait for its end.
 */
export const createBoardJob = (
  platform: Pick<Platform, 'sql' | 'clock'>,
  chain: Pick<ChainStatus, 'follower' | 'elsewhere'>,
  last: LastRefresh,
): Job =>
  createSnapshotJob(platform, chain, {
    name: 'leaderboards',
    everyMs: REFRESH_MS,
    state: BOARD_STATES.leaderboards,
    onlyWhenLive: true,
    hasInputs: async (sql) => (await selectCatalogueState(sql)).phase === 'done',
    refresh: async () => {
      const nowMs = platform.clock.now()
      last.asOfSec = await refreshBoards(platform.sql, nowMs)
      last.refreshedMs = nowMs
    },
  })
