import type { Config } from '../config/config.js'
import { systemClock } from '../core/clock.js'
import { createLog } from '../lib/log.js'
import type { Timing } from '../lib/timing.js'
import type { OnSocketFault } from './transport/socket-options.js'
import type { Upstreams } from './upstreams.js'

type CommandUpstreamOptions = {
  /** Called whenever the connection of a socket ends. */
  onFault?: OnSocketFault
  /** Of tries, limits and rests. Absent: that of the system. */
  timing?: Timing | undefined
}

/** Opens the upstreams for one command. Loaded only then: most commands do without them. */
export async function withUpstreams<T>(
  config: Config,
  work: (upstreams: Upstreams) => Promise<T>,
  options: CommandUpstreamOptions = {},
): Promise<T> {
  const [{ Registry }, { createUpstreamMetrics }, { Upstreams }] = await Promise.all([
    import('prom-client'),
    import('./transport/metrics.js'),
    import('./upstreams.js'),
  ])
  const metrics = createUpstreamMetrics(new Registry())
  const log = createLog('silent', process.stderr)
  const upstreams = new Upstreams(config, { ...options, metrics, clock: systemClock, log })
  try {
    return await work(upstreams)
  } finally {
    await upstreams.close()
  }
}
