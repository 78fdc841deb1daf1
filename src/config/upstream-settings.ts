import { maskAddress, maskAll, readInteger, readText, readUrl, setting } from './setting.js'

const HTTP = ['http:', 'https:']
const SOCKET = ['ws:', 'wss:']

const address = (env: string, protocols: string[], help: string, url: string) =>
  setting({
    env,
    placeholder: 'url',
    help,
    fallback: () => url,
    read: readUrl(protocols),
  })

/** For an upstream that may be gone for good one day: `undefined` when the operator says so. */
const retirable = (env: string, protocols: string[], help: string, url: string) =>
  setting<string | undefined>({
    ...address(env, protocols, `${help}; off: not used`, url),
    read: (text) => (text.trim().toLowerCase() === 'off' ? undefined : readUrl(protocols)(text)),
  })

const secret = (env: string, help: string) =>
  setting<string | undefined>({
    env,
    placeholder: 'secret',
    help,
    fallback: () => undefined,
    read: readText,
    mask: maskAll,
  })

/** A node costs money or has limits, so there is no default; its address often holds the key. */
const node = (env: string, flag: string, protocols: string[], help: string) =>
  setting<string | undefined>({
    env,
    flag,
    placeholder: 'url',
    help,
    fallback: () => undefined,
    read: readUrl(protocols),
    mask: maskAddress,
  })

/** Where the upstreams are, and what opens those that ask for credentials. */
export const UPSTREAM_SETTINGS = {
  polygonUrl: node('AUSPEX_POLYGON_URL', 'polygon-url', HTTP, 'Polygon node over HTTP'),
  polygonWsUrl: node('AUSPEX_POLYGON_WS_URL', 'polygon-ws-url', SOCKET, 'the same over WebSocket'),
  polygonCallsPerSecond: setting({
    env: 'AUSPEX_POLYGON_CALLS_PER_SECOND',
    placeholder: 'number',
    help: 'calls per second that the node allows; half of them are used',
    fallback: () => 17,
    read: readInteger(1, 10_000),
  }),
  gammaUrl: address(
    'AUSPEX_GAMMA_URL',
    HTTP,
    'events and markets',
    'https://gamma-api.polymarket.com',
  ),
  clobUrl: address('AUSPEX_CLOB_URL', HTTP, 'order books', 'https://clob.polymarket.com'),
  clobWsUrl: address(
    'AUSPEX_CLOB_WS_URL',
    SOCKET,
    'live order books',
    'wss://ws-subscriptions-clob.polymarket.com/ws/market',
  ),
  dataApiUrl: address(
    'AUSPEX_DATA_API_URL',
    HTTP,
    'positions and trades as the site shows them',
    'https://data-api.polymarket.com',
  ),
  siteUrl: address(
    'AUSPEX_SITE_URL',
    HTTP,
    'prices of up-or-down windows as the site shows them',
    'https://polymarket.com',
  ),
  rtdsWsUrl: retirable(
    'AUSPEX_RTDS_WS_URL',
    SOCKET,
    'live prices of coins',
    'wss://ws-live-data.polymarket.com',
  ),
  liveV2WsUrl: address(
    'AUSPEX_LIVE_V2_WS_URL',
    SOCKET,
    'live prices of coins, the successor; needs the three CLOB values below',
    'wss://ws-live-v2.polymarket.com/ws',
  ),
  clobApiKey: secret('AUSPEX_CLOB_API_KEY', 'key of a CLOB account'),
  clobSecret: secret('AUSPEX_CLOB_SECRET', 'its secret'),
  clobPassphrase: secret('AUSPEX_CLOB_PASSPHRASE', 'its passphrase'),
  chainlinkUrl: address(
    'AUSPEX_CHAINLINK_URL',
    HTTP,
    'Chainlink Data Streams; needs the two values below',
    'https://api.dataengine.chain.link',
  ),
  chainlinkWsUrl: address(
    'AUSPEX_CHAINLINK_WS_URL',
    SOCKET,
    'the same over WebSocket',
    'wss://ws.dataengine.chain.link',
  ),
  chainlinkApiKey: secret('AUSPEX_CHAINLINK_API_KEY', 'key for Data Streams'),
  chainlinkSecret: secret('AUSPEX_CHAINLINK_SECRET', 'its secret'),
  // Half of it is the ten calls per second of the published fair use policy.
  chainlinkCallsPerSecond: setting({
    env: 'AUSPEX_CHAINLINK_CALLS_PER_SECOND',
    placeholder: 'number',
    help: 'calls per second that Data Streams allows; half of them are used',
    fallback: () => 20,
    read: readInteger(1, 10_000),
  }),
}
