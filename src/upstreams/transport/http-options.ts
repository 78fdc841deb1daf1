import type { Clock } from '../../core/clock.js'
import type { Log } from '../../lib/log.js'
import type { Timing } from '../../lib/timing.js'
import type { HttpRequest } from './http-try.js'
import type { UpstreamMetrics } from './metrics.js'
import type { PathLimit } from './rate-limit.js'

export type HttpUpstreamOptions = {
  /** The upstream's name in errors, logs and metrics. */
  name: string
  /** May hold a name with a password, and may end in a path, which then comes before every other. */
  url: string
  limits: readonly PathLimit[]
  metrics: UpstreamMetrics
  clock: Clock
  log?: Log | undefined
  timing?: Timing | undefined
  userAgent?: string | undefined
  /** Further headers, asked for anew before each try: signatures carry the time. */
  sign?: ((request: HttpRequest) => Record<string, string>) | undefined
  timeoutMs?: number | undefined
  bodyBytesMax?: number | undefined
}

/** What the owner of a connector decides; the rest is the connector's. */
export type ConnectorOptions = Pick<
  HttpUpstreamOptions,
  'url' | 'metrics' | 'clock' | 'log' | 'timing' | 'timeoutMs'
>

export type Ask<T> = {
  parse: (json: unknown, path: string) => T
  signal?: AbortSignal | undefined
}

export type PostAsk<T> = Ask<T> & {
  /**
   * A try that takes longer than this is the last one, and is not held against the upstream: it was
   * asked for too much, and will be asked for less.
   */
  patienceMs?: number | undefined
}
