import type { Config } from '../config/config.js'
import type { Clock } from '../core/clock.js'
import type { Log } from '../lib/log.js'
import type { Timing } from '../lib/timing.js'
import { ClobClient } from './clob/client.js'
import { ClobSocket, type ClobSocketOptions } from './clob/socket.js'
import { DataApiClient } from './data-api/client.js'
import { GammaClient } from './gamma/client.js'
import { PolygonClient } from './polygon/client.js'
import { type PolygonListener, PolygonSocket } from './polygon/socket.js'
import { createPriceSources } from './prices/feed.js'
import type { PriceSource } from './prices/source.js'
import { SearxngClient } from './searxng/client.js'
import { SitePriceClient } from './site-price/client.js'
import { type ScoreListener, SportsSocket } from './sports-ws/socket.js'
import type { UpstreamMetrics } from './transport/metrics.js'
import type { OnSocketFault } from './transport/socket-options.js'
import { XApiClient } from './x-api/client.js'

/** The coins that have up-or-down markets. */
export const COINS = ['btc', 'eth', 'sol', 'xrp', 'doge', 'bnb', 'hype'] as const

type Shared = {
  metrics: UpstreamMetrics
  clock: Clock
  log: Log
  /** Of tries, limits and rests. Absent: that of the system. */
  timing?: Timing | undefined
  /** Absent: all upstreams can be asked at once. */
  opened?: Promise<void> | undefined
  /** Called whenever the connection of a socket ends. */
  onFault?: OnSocketFault | undefined
}
type ClobListener = Pick<ClobSocketOptions, 'onEvents' | 'onGap' | 'onOpen' | 'onInterrupted' | 'tuning'>

/** Every connector, made from the configuration alone. */
export class Upstreams {
  readonly gamma: GammaClient
  readonly clob: ClobClient
  readonly dataApi: DataApiClient
  readonly sitePrice: SitePriceClient
  /** `undefined`: the operator has not given the address of one. */
  readonly searxng: SearxngClient | undefined
  /** Without a token there is none. */
  readonly xApi: XApiClient | undefined
  /** Without a node there is none. */
  readonly polygon: PolygonClient | undefined
  /** Resolves when the upstreams can be asked. A node can be asked for blocks before. */
  readonly opened: Promise<void>
  readonly #config: Config
  readonly #shared: Shared

  constructor(config: Config, shared: Shared) {
    this.#config = config
    this.#shared = shared
    this.opened = shared.opened ?? Promise.resolve()
    this.gamma = new GammaClient({ ...shared, url: config.gammaUrl })
    this.clob = new ClobClient({ ...shared, url: config.clobUrl })
    this.dataApi = new DataApiClient({ ...shared, url: config.dataApiUrl })
    this.sitePrice = new SitePriceClient({ ...shared, url: config.siteUrl })
    const { searxngUrl } = config
    this.searxng = searxngUrl === undefined ? undefined : new SearxngClient({ ...shared, url: searxngUrl })
    const { xApiUrl, xBearerToken: bearerToken } = config
    this.xApi =
      bearerToken === undefined ? undefined : new XApiClient({ ...shared, url: xApiUrl, bearerToken })
    const { polygonUrl: url, polygonCallsPerSecond: callsPerSecond } = config
    this.polygon =
      url === undefined ? undefined : new PolygonClient({ ...shared, opened: undefined, url, callsPerSecond })
  }

  /** Heads and pending transactions. `undefined` without a node. */
  followPolygon(listener: PolygonListener): PolygonSocket | undefined {
    const { polygonWsUrl: url } = this.#config
    return url === undefined ? undefined : new PolygonSocket({ ...this.#shared, url }, listener)
  }

  followBooks(listener: ClobListener): ClobSocket {
    return new ClobSocket({ ...this.#shared, ...listener, url: this.#config.clobWsUrl })
  }

  /** Scores of games. `undefined`: the operator has switched them off. */
  followScores(listener: ScoreListener): SportsSocket | undefined {
    const { sportsWsUrl: url } = this.#config
    return url === undefined ? undefined : new SportsSocket({ ...this.#shared, ...listener, url })
  }

  /** The sources of prices that are not off and whose credentials, if they need any, are there. */
  priceSources(): PriceSource[] {
    const { rtdsWsUrl, liveV2WsUrl, chainlinkWsUrl, chainlinkUrl } = this.#config
    const { chainlinkCallsPerSecond: callsPerSecond } = this.#config
    return createPriceSources(
      {
        rtds: rtdsWsUrl === undefined ? undefined : { url: rtdsWsUrl },
        liveV2: { url: liveV2WsUrl, credentials: liveV2Credentials(this.#config) },
        chainlink: {
          url: chainlinkWsUrl,
          restUrl: chainlinkUrl,
          callsPerSecond,
          credentials: chainlinkCredentials(this.#config),
        },
      },
      { ...this.#shared, coins: COINS },
    )
  }

  /** Ends the HTTP connections. Sockets end by the signal that they were started with. */
  async close(): Promise<void> {
    const { gamma, clob, dataApi, sitePrice, searxng, xApi, polygon } = this
    const clients = [gamma, clob, dataApi, sitePrice, searxng, xApi, polygon]
    await Promise.all(clients.map((client) => client?.close()))
  }
}

function liveV2Credentials({ clobApiKey, clobSecret, clobPassphrase }: Config) {
  if (clobApiKey === undefined || clobSecret === undefined || clobPassphrase === undefined) {
    return undefined
  }
  return { apiKey: clobApiKey, secret: clobSecret, passphrase: clobPassphrase }
}

function chainlinkCredentials({ chainlinkApiKey, chainlinkSecret }: Config) {
  if (chainlinkApiKey === undefined || chainlinkSecret === undefined) return undefined
  return { apiKey: chainlinkApiKey, secret: chainlinkSecret }
}
