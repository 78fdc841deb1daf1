import type { Domain } from '../http/domain.js'
import type { Platform } from '../platform.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { directoryRoutes } from './directory/routes.js'
import { deleteOldUsernames } from './queries.js'
import { IdentityResolver } from './resolver.js'
import { identityRoutes } from './routes.js'

/** How long a name is found by the search that was not resolved again. */
const NAME_KEPT_MS = 90 * 24 * 60 * 60_000

/** Resolves a wallet, a key or a username to its identity. */
export function createIdentities(platform: Platform, { upstreams }: { upstreams: Upstreams }): Domain {
  const { store, clock, log } = platform
  const { gamma, polygon } = upstreams
  const resolver = new IdentityResolver({ store, clock, log, gamma, polygon })
  return {
    routes: [identityRoutes(resolver), directoryRoutes(platform, { resolver })],
    jobs: [
      {
        name: 'old usernames',
        everyMs: 60 * 60_000,
        roles: ['worker'],
        runsIn: 'one process',
        needsDatabase: true,
        run: () => deleteOldUsernames(platform.sql, clock.now() - NAME_KEPT_MS),
      },
    ],
  }
}
