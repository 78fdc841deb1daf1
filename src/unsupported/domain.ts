import type { Domain } from '../http/domain.js'
import { unsupportedRoutes } from './routes.js'

/** What other services answer and this one cannot. */
export const createUnsupported = (): Domain => ({ routes: [unsupportedRoutes] })
