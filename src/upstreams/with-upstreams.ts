import { Registry } from 'prom-client'
import type { Config } from '../config/config.js'
import { systemClock } from '../core/clock.js'
import { createLog } from '../lib/log.js'
import type { Timing } from '../lib/timing.js'
import { createUpstreamMetrics } from './transport/metrics.js'
import type { OnSocketFault } from './transport/socket-options.js'
import { Upstreams } from './upstreams.js'

type CommandUpstreamOptions = {
  /** Called whenever the connection of a socket ends. */
  onFault?: OnSocketFault
  /** Of tries, limits and rests. Absent: that of the system. */
  timing?: Timing | undefined
}

/** Opens the upstreams for one command. Commands load this file when they run: most do without it. */
export async function withUpstreams<T>(
  config: Config,
  work: (upstreams: Upstreams) => Promise<T>,
  options: CommandUpstreamOptions = {},
): Promise<T> {
  const metrics = createUpstreamMetrics(new Registry())
  const log = createLog('silent', process.stderr)
  const upstreams = new Upstreams(config, { ...options, metrics, clock: systemClock, log })
  try {
    return await work(upstreams)
  } finally {
    await upstreams.close()
  }
}
