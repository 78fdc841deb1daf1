import type { Domain } from '../http/domain.js'
import type { SocialDeps } from '../lookups/posts/search-posts.js'
import type { Platform } from '../platform.js'
import { socialRoutes } from './routes.js'

/** Posts of the social network. */
export const createSocial = (platform: Platform, deps: SocialDeps): Domain => ({
  routes: [socialRoutes(platform, deps)],
})
