import type { Domain } from '../http/domain.js'
import type { Platform } from '../platform.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { deleteOldUsernames } from './queries.js'
import { identityRoutes } from './routes.js'

/** How long a name is found by the search that was not resolved again. */
const NAME_KEPT_MS = 90 * 24 * 60 * 60_000

/** Who is behind a wallet, a key or a username. */
export const createIdentities = (platform: Platform, { upstreams }: { upstreams: Upstreams }): Domain => ({
  routes: [identityRoutes(platform, upstreams)],
  jobs: [
    {
      name: 'old usernames',
      everyMs: 60 * 60_000,
      roles: ['worker'],
      runsIn: 'one process',
      needsDatabase: true,
      run: () => deleteOldUsernames(platform.sql, platform.clock.now() - NAME_KEPT_MS),
    },
  ],
})
