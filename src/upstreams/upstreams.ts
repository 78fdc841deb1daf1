import type { Config } from '../config/config.js'
import type { SettingName } from '../config/settings.js'
import type { Clock } from '../core/clock.js'
import { messageOf } from '../core/errors.js'
import type { Log } from '../lib/log.js'
import type { Timing } from '../lib/timing.js'
import { ClobClient } from './clob/client.js'
import { ClobSocket, type ClobSocketOptions } from './clob/socket.js'
import { DataApiClient } from './data-api/client.js'
import { GammaClient } from './gamma/client.js'
import { PolygonClient } from './polygon/client.js'
import { type PolygonListener, PolygonSocket } from './polygon/socket.js'
import { ChainlinkSource } from './prices/chainlink.js'
import { LiveV2Source } from './prices/live-v2.js'
import { RtdsSource } from './prices/rtds.js'
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
  /** Absent: all upstreams can be called at once. */
  opened?: Promise<void> | undefined
  /** Called whenever the connection of a socket ends. */
  onFault?: OnSocketFault | undefined
}
type ClobListener = Pick<ClobSocketOptions, 'onEvents' | 'onGap' | 'onOpen' | 'onInterrupted' | 'tuning'>

/** Everything about an upstream that the rest of the service needs to know. */
type Upstream<Connector> = {
  address: SettingName
  /** The settings without which it is not used, and how `auspex upstreams` says so. */
  optional?: { needs: readonly SettingName[]; isOff: string }
  /** How errors that callers read name it; absent: they do not. */
  title?: string
  /** What `/status` lists as not configured where it is not used. */
  feature?: string
  /** `undefined`: what it needs is not configured. */
  create: (config: Config, shared: Shared) => Connector
  /** Asks a configured upstream for a value that only a working one can give. */
  probe: (upstreams: Upstreams, signal: AbortSignal) => Promise<string>
}

const define = <Connector>(upstream: Upstream<Connector>) => upstream

/** Every upstream by its name in metrics, logs and answers, in the order in which `auspex upstreams` lists them. */
export const UPSTREAMS = {
  polygon: define({
    address: 'polygonUrl',
    optional: { needs: ['polygonUrl'], isOff: 'AUSPEX_POLYGON_URL is not set' },
    title: 'The Polygon node',
    feature: 'chain',
    // Blocks can be read from a node before the other upstreams are open.
    create: ({ polygonUrl: url, polygonCallsPerSecond: callsPerSecond }, shared) =>
      url === undefined
        ? undefined
        : new PolygonClient({ ...shared, opened: undefined, url, callsPerSecond }),
    probe: async ({ polygon }, signal) => {
      await polygon?.checkChain(signal)
      return `block ${await polygon?.getBlockNumber(signal)}`
    },
  }),
  gamma: define({
    address: 'gammaUrl',
    title: "The platform's catalogue",
    create: ({ gammaUrl: url }, shared) => new GammaClient({ ...shared, url }),
    probe: async ({ gamma }, signal) => {
      const [event] = await gamma.listEvents({ limit: 1, closed: false }, signal)
      return event?.slug ?? 'no open event'
    },
  }),
  clob: define({
    address: 'clobUrl',
    title: "The platform's order book",
    create: ({ clobUrl: url }, shared) => new ClobClient({ ...shared, url }),
    probe: async ({ clob }, signal) => new Date((await clob.getServerTime(signal)) * 1000).toISOString(),
  }),
  data_api: define({
    address: 'dataApiUrl',
    title: "The platform's Data API",
    create: ({ dataApiUrl: url }, shared) => new DataApiClient({ ...shared, url }),
    probe: async ({ dataApi }, signal) => `${(await dataApi.listBuilders(signal)).length} builders`,
  }),
  site: define({
    address: 'siteUrl',
    create: ({ siteUrl: url }, shared) => new SitePriceClient({ ...shared, url }),
    probe: async ({ sitePrice }, signal) => {
      const candles = await sitePrice.getCandles({ symbol: 'BTC', interval: '5m', limit: 15 }, signal)
      return `BTC ${candles.at(-1)?.close}`
    },
  }),
  searxng: define({
    address: 'searxngUrl',
    optional: { needs: ['searxngUrl'], isOff: 'AUSPEX_SEARXNG_URL is not set' },
    feature: 'online_search',
    create: ({ searxngUrl: url }, shared) =>
      url === undefined ? undefined : new SearxngClient({ ...shared, url }),
    probe: async ({ searxng }, signal) => {
      const found = await searxng?.search(SAMPLE_SEARCH, { signal })
      const silent = found?.unresponsive.map(({ engine, reason }) => `, ${engine}: ${reason}`) ?? []
      return `${found?.results.length} results${silent.join('')}`
    },
  }),
  x_api: define({
    address: 'xApiUrl',
    optional: { needs: ['xBearerToken'], isOff: 'AUSPEX_X_BEARER_TOKEN is not set' },
    feature: 'social',
    create: ({ xApiUrl: url, xBearerToken: bearerToken }, shared) =>
      bearerToken === undefined ? undefined : new XApiClient({ ...shared, url, bearerToken }),
    // The cheapest question: X bills what it sends.
    probe: async ({ xApi }, signal) => `user ${await xApi?.findUserId('X', { signal })}`,
  }),
  polygon_ws: define({
    address: 'polygonWsUrl',
    optional: { needs: ['polygonWsUrl'], isOff: 'AUSPEX_POLYGON_WS_URL is not set' },
    create:
      ({ polygonWsUrl: url }, shared) =>
      (listener: PolygonListener) =>
        url === undefined ? undefined : new PolygonSocket({ ...shared, url }, listener),
    probe: (upstreams, signal) =>
      new Promise((resolve) => {
        const onHead = ({ number }: { number: number }) => resolve(`block ${number}`)
        upstreams.followPolygon({ onHead, onGap: () => undefined })?.start(signal)
      }),
  }),
  clob_ws: define({
    address: 'clobWsUrl',
    create:
      ({ clobWsUrl: url }, shared) =>
      (listener: ClobListener) =>
        new ClobSocket({ ...shared, ...listener, url }),
    probe: probeBooks,
  }),
  rtds: define({
    address: 'rtdsWsUrl',
    optional: { needs: ['rtdsWsUrl'], isOff: 'AUSPEX_RTDS_WS_URL is off' },
    create: ({ rtdsWsUrl: url }, shared) =>
      url === undefined ? undefined : new RtdsSource({ ...shared, coins: COINS, url }),
    probe: probePrices('rtds'),
  }),
  live_v2: define({
    address: 'liveV2WsUrl',
    optional: {
      needs: ['clobApiKey', 'clobSecret', 'clobPassphrase'],
      isOff: 'AUSPEX_CLOB_API_KEY, _SECRET and _PASSPHRASE are not set',
    },
    create: ({ liveV2WsUrl: url, clobApiKey: apiKey, clobSecret: secret, clobPassphrase }, shared) => {
      if (apiKey === undefined || secret === undefined || clobPassphrase === undefined) return undefined
      const credentials = { apiKey, secret, passphrase: clobPassphrase }
      return new LiveV2Source({ ...shared, coins: COINS, url, credentials })
    },
    probe: probePrices('live_v2'),
  }),
  chainlink: define({
    address: 'chainlinkUrl',
    optional: {
      needs: ['chainlinkApiKey', 'chainlinkSecret'],
      isOff: 'AUSPEX_CHAINLINK_API_KEY and _SECRET are not set',
    },
    create: (config, shared) => {
      const { chainlinkApiKey: apiKey, chainlinkSecret: secret } = config
      if (apiKey === undefined || secret === undefined) return undefined
      return new ChainlinkSource({
        ...shared,
        coins: COINS,
        url: config.chainlinkWsUrl,
        restUrl: config.chainlinkUrl,
        callsPerSecond: config.chainlinkCallsPerSecond,
        credentials: { apiKey, secret },
      })
    },
    probe: probePrices('chainlink'),
  }),
  sports_ws: define({
    address: 'sportsWsUrl',
    optional: { needs: ['sportsWsUrl'], isOff: 'AUSPEX_SPORTS_WS_URL is off' },
    create:
      ({ sportsWsUrl: url }, shared) =>
      (listener: ScoreListener) =>
        url === undefined ? undefined : new SportsSocket({ ...shared, ...listener, url }),
    probe: probeScores,
  }),
}

export type UpstreamName = keyof typeof UPSTREAMS

/** How errors that callers read name an upstream; `undefined`: they do not. */
export const upstreamTitle = (name: string): string | undefined =>
  (UPSTREAMS as Record<string, { title?: string } | undefined>)[name]?.title

type Created<Name extends UpstreamName> = ReturnType<(typeof UPSTREAMS)[Name]['create']>

/** Every connector, made from the configuration alone. Those that are not configured are `undefined`. */
export class Upstreams {
  readonly gamma: GammaClient
  readonly clob: ClobClient
  readonly dataApi: DataApiClient
  readonly sitePrice: SitePriceClient
  readonly searxng: SearxngClient | undefined
  readonly xApi: XApiClient | undefined
  readonly polygon: PolygonClient | undefined
  /** Heads and pending transactions. */
  readonly followPolygon: (listener: PolygonListener) => PolygonSocket | undefined
  readonly followBooks: (listener: ClobListener) => ClobSocket
  /** Scores of games. */
  readonly followScores: (listener: ScoreListener) => SportsSocket | undefined
  /** Makes the sources of prices that are configured, the preferred one first. */
  readonly priceSources: () => PriceSource[]
  /** Resolves when the upstreams can be called. Blocks can be read from a node before. */
  readonly opened: Promise<void>

  constructor(config: Config, shared: Shared) {
    const create = <Name extends UpstreamName>(name: Name) =>
      UPSTREAMS[name].create(config, shared) as Created<Name>
    this.gamma = create('gamma')
    this.clob = create('clob')
    this.dataApi = create('data_api')
    this.sitePrice = create('site')
    this.searxng = create('searxng')
    this.xApi = create('x_api')
    this.polygon = create('polygon')
    this.followPolygon = create('polygon_ws')
    this.followBooks = create('clob_ws')
    this.followScores = create('sports_ws')
    this.priceSources = () => [create('live_v2'), create('rtds'), create('chainlink')].flatMap((s) => s ?? [])
    this.opened = shared.opened ?? Promise.resolve()
  }

  /** Ends the HTTP connections. Sockets end by the signal that they were started with. */
  async close(): Promise<void> {
    const { gamma, clob, dataApi, sitePrice, searxng, xApi, polygon } = this
    const clients = [gamma, clob, dataApi, sitePrice, searxng, xApi, polygon]
    await Promise.all(clients.map((client) => client?.close()))
  }
}

const SAMPLE_SEARCH = {
  q: 'news',
  engines: ['bing', 'duckduckgo'],
  language: 'en-US',
  timeRange: undefined,
  safeSearch: 0,
}

async function probeBooks(upstreams: Upstreams, signal: AbortSignal): Promise<string> {
  const markets = await upstreams.gamma.listMarkets({ limit: 20, closed: false }, signal).catch((error) => {
    throw new Error(`no token is known to ask for: ${messageOf(error)}`)
  })
  const tokenIds = markets.flatMap(({ tokens }) => tokens.map(({ tokenId }) => tokenId))
  return await new Promise((resolve) => {
    const socket = upstreams.followBooks({
      onEvents: ([event]) => {
        if (event !== undefined) resolve(`${event.type} of ${tokenIds.length} tokens`)
      },
    })
    socket.subscribe(tokenIds)
    socket.start(signal)
  })
}

function probePrices(name: PriceSource['name']) {
  return (upstreams: Upstreams, signal: AbortSignal): Promise<string> =>
    new Promise((resolve) => {
      const onTick = ({ coin, price }: { coin: string; price: string }) => resolve(`${coin} ${price}`)
      const source = upstreams.priceSources().find((each) => each.name === name)
      source?.start(signal, { onTick, onGap: () => undefined })
    })
}

/** How long after its opening the score socket is waited for, because no game may be live. */
const FIRST_SCORE_MS = 1_000

/** A score of a game that is being played, which comes at once if there is one. */
function probeScores(upstreams: Upstreams, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const listener: ScoreListener = {
      onScore: ({ slug, gameId, score }) => resolve(`${slug ?? gameId} ${score ?? ''}`.trim()),
      expectsScores: () => false,
      onOpen: () => setTimeout(() => resolve('connected; no game is live'), FIRST_SCORE_MS),
    }
    upstreams.followScores(listener)?.start(signal)
  })
}
