import type { Domain } from '../http/domain.js'
import type { Platform } from '../platform.js'
import type { OnlineSearch } from '../upstreams/searxng/online-search.js'
import { searchRoutes } from './routes.js'

/** Web search. */
export const createSearch = (platform: Platform, deps: { onlineSearch: OnlineSearch }): Domain => ({
  routes: [searchRoutes(platform, deps)],
})
