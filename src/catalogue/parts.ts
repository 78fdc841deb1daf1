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

type PartsOwner = Omit<MarketParts, 'gamma' | 'clob' | 'metrics'> & {
  upstreams: Pick<MarketParts, 'gamma' | 'clob'>
  metrics: { markets: MarketMetrics }
}

/** The parts as the context of the service has them. */
export const marketPartsOf = (owner: PartsOwner): MarketParts => {
  const { store, clock, log, catalogue, upstreams, metrics } = owner
  const { gamma, clob } = upstreams
  return { store, gamma, clob, clock, log, catalogue, metrics: metrics.markets }
}
