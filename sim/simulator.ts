import { createClobHost } from './clob/host.js'
import { createClobSocketHost } from './clob/socket-host.js'
import { openControl } from './control/control.js'
import { createDataApiHost } from './data-api/host.js'
import { createGammaHost } from './gamma/host.js'
import { createPolygonHost } from './polygon/host.js'
import { createChainlinkHost } from './prices/chainlink.js'
import { createLiveV2Host } from './prices/live-v2.js'
import { createRtdsHost } from './prices/rtds.js'
import { createRfqHost } from './rfq/host.js'
import { createSearxngHost } from './searxng/host.js'
import { HOST_NAMES, type HostName } from './server/fault-order.js'
import { Faults } from './server/faults.js'
import type { HostParts, HttpReply } from './server/handlers.js'
import { type Host, openHost } from './server/host.js'
import { createSiteHost } from './site-price/host.js'
import { createSportsHost } from './sports-ws/host.js'
import type { Universe } from './universe/universe.js'
import { createXApiHost } from './x-api/host.js'

/** What the simulated hosts that ask for credentials take. They open nothing anywhere else. */
export const SIM_CREDENTIALS = {
  liveV2: {
    apiKey: '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d',
    secret: 'c2ltdWxhdGVkLXNlY3JldA==',
    passphrase: 'simulated',
  },
  chainlink: { apiKey: '7d0e6b8a-3f52-4c1d-9a8e-5b4f2c1d0e9f', secret: 'simulated-data-streams' },
  x: { bearerToken: 'simulated-app-of-the-network' },
}

export type Simulator = {
  universe: Universe
  faults: Faults
  hosts: Record<HostName, Host>
  /** Where faults are switched. */
  url: string
  upstreams: UpstreamUrls
  /** Ends the time in which only the chain could be read. */
  awake(): void
  close(): Promise<void>
}

/** The addresses under which each upstream is reached, as `demo.json` names them. */
export type UpstreamUrls = ReturnType<typeof upstreamUrls>

/**
 * Opens every simulated host on a free port of its own. Time passes only when the universe is
 * advanced. `isAsleep`: a universe that still lives through its past. Its chain can be read as far as
 * it goes; all other requests get a 503, and sockets open when the past is over.
 */
export async function openSimulator(universe: Universe, isAsleep = false): Promise<Simulator> {
  const startup = new StartupBarrier()
  if (!isAsleep) startup.open()
  const faults = new Faults()
  const parts: Record<HostName, HostParts> = {
    polygon: createPolygonHost(universe, faults),
    gamma: createGammaHost(universe),
    clob: createClobHost(universe, () => faults.skewMs('clob')),
    clob_ws: createClobSocketHost(universe),
    rtds: createRtdsHost(universe),
    live_v2: createLiveV2Host(universe, SIM_CREDENTIALS.liveV2),
    chainlink: createChainlinkHost(universe, SIM_CREDENTIALS.chainlink, {
      now: () => Date.now() + faults.skewMs('chainlink'),
      firstSec: Math.floor(universe.startMs / 1000),
    }),
    data_api: createDataApiHost(universe),
    rfq: createRfqHost(universe),
    site: createSiteHost(universe),
    sports_ws: createSportsHost(universe),
    searxng: createSearxngHost(universe, faults),
    x_api: createXApiHost(universe, SIM_CREDENTIALS.x),
  }
  const opened = await Promise.all(
    HOST_NAMES.map(async (name) => {
      const guarded = startup.close(parts[name], name === 'polygon')
      return [name, await openHost(name, faults, guarded)] as const
    }),
  )
  const hosts = Object.fromEntries(opened) as Record<HostName, Host>
  const control = await openControl({ universe, faults, hosts: Object.values(hosts) })
  return {
    universe,
    faults,
    hosts,
    url: control.url,
    upstreams: upstreamUrls(hosts),
    awake: () => startup.open(),
    close: async () => {
      await Promise.all([control, ...Object.values(hosts)].map((port) => port.close()))
    },
  }
}

/** Holds back requests and sockets until the universe has lived through its past. */
class StartupBarrier {
  isOpen = false
  open = (): void => undefined
  readonly opened = new Promise<void>((resolve) => {
    this.open = () => {
      this.isOpen = true
      resolve()
    }
  })

  close(parts: HostParts, isChain: boolean): HostParts {
    const { http } = parts
    return {
      ...parts,
      opened: this.opened,
      ...(http !== undefined && {
        http: (request) => (this.isOpen || isChain ? http(request) : ASLEEP),
      }),
    }
  }
}

const ASLEEP: HttpReply = { status: 503, body: { error: 'the universe has no present yet' } }

const upstreamUrls = (hosts: Record<HostName, Host>) => ({
  polygon_http: hosts.polygon.url,
  polygon_ws: hosts.polygon.wsUrl,
  gamma: hosts.gamma.url,
  clob: hosts.clob.url,
  clob_ws: `${hosts.clob_ws.wsUrl}/ws/market`,
  rtds: hosts.rtds.wsUrl,
  live_v2: `${hosts.live_v2.wsUrl}/ws`,
  chainlink: hosts.chainlink.url,
  chainlink_ws: hosts.chainlink.wsUrl,
  data_api: hosts.data_api.url,
  rfq: hosts.rfq.url,
  site: hosts.site.url,
  sports_ws: `${hosts.sports_ws.wsUrl}/ws`,
  searxng: hosts.searxng.url,
  x_api: hosts.x_api.url,
})
