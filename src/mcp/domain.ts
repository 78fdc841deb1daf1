import type { Domain } from '../http/domain.js'
import type { Platform } from '../platform.js'
import { mcpRoutes } from './routes.js'

/** Tools for models, which ask what the routes of the other domains answer. */
export const createMcp = (platform: Platform): Domain => ({ routes: [mcpRoutes(platform)] })
