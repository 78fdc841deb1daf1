import { Gauge } from 'prom-client'
import { selectCatalogueState } from '../catalogue/queries.js'
import type { ChainStatus } from '../core/chain-status.js'
import type { Clock } from '../core/clock.js'
import type { Domain } from '../http/domain.js'
import { isChainLive } from '../jobs/until-live.js'
import type { Platform } from '../platform.js'
import type { Pool } from '../store/connection.js'
import { selectBoardSnapshot } from './queries.js'
import { refreshBoards } from './refresh/refresh.js'
import { hasUnseenRewind } from './refresh/step.js'
import { leaderboardRoutes } from './routes.js'

const CHECK_MS = 1_000
/** Every refresh ends the walks through pages of the boards before it, so they are no more frequent than promised. */
const REFRESH_MS = 45_000

export function createLeaderboards(platform: Platform, { chain }: { chain: ChainStatus }): Domain {
  const refresher = new BoardRefresher(platform.store, platform.clock)
  new Gauge({
    name: 'auspex_leaderboards_age_seconds',
    help: 'Time since the moment that the leaderboards speak of, -1 before this process made them',
    registers: [platform.metrics],
    collect() {
      const { asOfSec } = refresher
      this.set(asOfSec === undefined ? -1 : platform.clock.now() / 1000 - asOfSec)
    },
  })
  return {
    routes: [leaderboardRoutes(platform)],
    jobs: [
      {
        name: 'leaderboards',
        everyMs: CHECK_MS,
        runsIn: 'one process',
        needsDatabase: true,
        // Blocks of a long catch-up are booked without a journal: each refresh would have to make the boards anew.
        run: async () => {
          if (isChainLive({ chain })) await refresher.run()
        },
      },
    ],
    status: {
      fields: () => {
        const { asOfSec = null, refreshedMs } = refresher
        const refreshedSec = refreshedMs === undefined ? null : Math.floor(refreshedMs / 1000)
        return { leaderboards: { as_of: asOfSec, last_refresh: refreshedSec } }
      },
    },
  }
}

/**
 * Refreshes the boards when that is due: when they are not made yet, when the catalogue is read, every 45 seconds from
 * then on, and at once when a reorganisation reverted blocks that are on them. While the catalogue is read for the first
 * time all markets change their scopes, so the boards rest.
 */
export class BoardRefresher {
  readonly #store: { readonly sql: Pool }
  readonly #clock: Clock
  /** The moment that the boards speak of, and when they were last refreshed; `undefined`: not yet. */
  asOfSec: number | undefined
  refreshedMs: number | undefined
  /** Whether the last refresh knew the whole catalogue. */
  #hasScopes = false

  constructor(store: { readonly sql: Pool }, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  async run(): Promise<void> {
    const { sql } = this.#store
    const nowMs = this.#clock.now()
    const hasScopes = this.#hasScopes || (await selectCatalogueState(sql)).phase === 'done'
    if (!(await this.#isDue(nowMs, hasScopes)) && !(await hasUnseenRewind(sql))) return
    this.asOfSec = await refreshBoards(sql, nowMs)
    this.refreshedMs = nowMs
    this.#hasScopes = hasScopes
  }

  async #isDue(nowMs: number, hasScopes: boolean): Promise<boolean> {
    const { refreshedMs } = this
    if (!hasScopes) return (await selectBoardSnapshot(this.#store.sql)) === undefined
    if (refreshedMs === undefined || !this.#hasScopes) return true
    // The clock may have been set back since.
    return Math.abs(nowMs - refreshedMs) >= REFRESH_MS
  }
}
