import type { Domain } from '../http/domain.js'
import type { Platform } from '../platform.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { identityRoutes } from './routes.js'

/** Who is behind a wallet, a key or a username. */
export const createIdentities = (platform: Platform, { upstreams }: { upstreams: Upstreams }): Domain => ({
  routes: [identityRoutes(platform, upstreams)],
})
