import type { Accounts } from '../accounts/domain.js'
import type { Domain } from '../http/domain.js'
import type { Platform } from '../platform.js'
import { adminRoutes } from './routes.js'

/** What operators do with accounts and keys. */
export const createAdmin = (platform: Platform, deps: Pick<Accounts, 'plans' | 'keyChanges'>): Domain => ({
  routes: [adminRoutes(platform, deps)],
})
