import type { Plans } from '../accounts/plans.js'
import type { Domain } from '../http/domain.js'
import type { Platform } from '../platform.js'
import { adminRoutes } from './routes.js'

/** What operators do with accounts and keys. */
export const createAdmin = (platform: Platform, deps: { plans: Plans }): Domain => ({
  routes: [adminRoutes(platform, deps)],
})
