import type { Domain } from '../http/domain.js'
import type { Platform } from '../platform.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { rewardRoutes } from './routes.js'

/** What the platform pays for resting orders, and gives back of fees. */
export const createRewards = (platform: Platform, { upstreams }: { upstreams: Upstreams }): Domain => ({
  routes: [rewardRoutes(platform, upstreams)],
})
