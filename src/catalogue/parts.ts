import type { Clock } from '../core/clock.js'
import type { Log } from '../lib/log.js'
import type { Pool } from '../store/connection.js'
import type { ClobClient } from '../upstreams/clob/client.js'
import type { GammaClient } from '../upstreams/gamma/client.js'
import type { Catalogue } from './catalogue.js'
import type { MarketMetrics } from './metrics.js'

/** What the work on the catalogue shares. */
export type MarketParts = {
  /** The pool of this moment. */
  store: { readonly sql: Pool }
  gamma: GammaClient
  clob: ClobClient
  clock: Clock
  log: Log
  metrics: MarketMetrics
  catalogue: Catalogue
}
