import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { LOG_LEVELS, type LogLevel } from '../lib/log.js'
import { parseRoles, ROLES, type Role } from './roles.js'
import {
  maskAddress,
  maskAll,
  maskPassword,
  parseBookNames,
  parseIntegerIn,
  parseKey,
  parseNetworks,
  parseOneOf,
  parseOrigins,
  parseProxies,
  parseText,
  parseUrlOf,
  type Setting,
  setting,
} from './setting.js'

const HTTP = ['http:', 'https:']
const SOCKET = ['ws:', 'wss:']
const POSTGRES = ['postgres:', 'postgresql:']

/** Another address must have a protocol of the same kind as the default. */
const address = (env: string, help: string, url: string) => {
  const parse = parseUrlOf(url.startsWith('ws') ? SOCKET : HTTP)
  return setting({ env, placeholder: 'url', help, fallback: () => url, parse })
}

/** For an upstream that may be gone for good one day: `undefined` when the operator says so. */
const retirable = (env: string, help: string, url: string) => {
  const known = address(env, `${help}; off: not used`, url)
  const parse = (text: string) => (text.trim().toLowerCase() === 'off' ? undefined : known.parse(text))
  return setting<string | undefined>({ ...known, parse })
}

const integer = (env: string, range: [min: number, max: number], help: string, value: number) =>
  setting({ env, placeholder: 'number', help, fallback: () => value, parse: parseIntegerIn(...range) })

/** A setting that is not there unless it is given. */
const unset = <T>(definition: Omit<Setting<T>, 'fallback'>) =>
  setting<T | undefined>({ ...definition, fallback: () => undefined })

const secret = (env: string, help: string) =>
  unset({ env, placeholder: 'secret', help, parse: parseText, mask: maskAll })

/** A server that an operator runs; its address may hold a password. */
const server = (env: string, flag: string, protocols: string[], help: string) =>
  unset({ env, flag, placeholder: 'url', help, parse: parseUrlOf(protocols), mask: maskPassword })

/** A node costs money or has limits, so there is no default; its address often holds the key. */
const node = (env: string, flag: string, protocols: string[], help: string) =>
  unset({ env, flag, placeholder: 'url', help, parse: parseUrlOf(protocols), mask: maskAddress })

/** Every setting of the service, in the order in which `auspex config` and the documentation list them. */
export const SETTINGS = {
  host: setting({
    env: 'AUSPEX_HOST',
    flag: 'host',
    placeholder: 'address',
    help: 'address to listen on; 0.0.0.0 or :: opens the service to the network',
    fallback: () => '127.0.0.1',
    parse: parseText,
  }),
  port: setting({
    ...integer('PORT', [0, 65_535], 'port to listen on; 0 takes a free one', 8080),
    flag: 'port',
  }),
  publicUrl: unset({
    env: 'AUSPEX_PUBLIC_URL',
    flag: 'public-url',
    placeholder: 'url',
    help: 'address under which clients reach the service; default: the one each client used',
    parse: parseUrlOf(HTTP),
  }),
  dataDir: setting({
    env: 'AUSPEX_DATA',
    flag: 'data',
    placeholder: 'folder',
    help: 'folder for everything that the service keeps, the embedded database included',
    fallback: () => resolve('.auspex'),
    parse: (text) => resolve(parseText(text)),
  }),
  databaseUrl: server(
    'DATABASE_URL',
    'database-url',
    POSTGRES,
    'PostgreSQL 15 or later to use instead of the embedded one',
  ),
  databaseReadUrls: setting<string[]>({
    env: 'DATABASE_READ_URLS',
    placeholder: 'urls',
    help: 'hot standbys of DATABASE_URL that answers about the chain are read from, with commas between',
    fallback: () => [],
    parse: (text) => text.split(',').map(parseUrlOf(POSTGRES)),
    mask: (text) => text.split(',').map(maskPassword).join(','),
  }),
  databaseConnections: integer(
    'AUSPEX_DATABASE_CONNECTIONS',
    [2, 200],
    'connections that one process opens to PostgreSQL at most',
    Math.max(8, Math.min(32, availableParallelism() * 4)),
  ),
  redisUrl: server(
    'REDIS_URL',
    'redis-url',
    ['redis:', 'rediss:'],
    'Redis 7 or Valkey 8 that processes on one database share; without it they share the database alone',
  ),
  roles: setting<Role[]>({
    env: 'AUSPEX_ROLES',
    flag: 'roles',
    placeholder: 'list',
    help: `what this process does, separated by commas: ${ROLES.join(', ')}; other processes on the database do the rest`,
    fallback: () => [...ROLES],
    parse: parseRoles,
  }),
  dataset: setting({
    env: 'AUSPEX_DATASET',
    placeholder: 'name',
    help: 'name of what the upstreams serve; a database that holds another dataset is refused',
    fallback: () => 'polymarket',
    parse: parseText,
  }),
  drainSeconds: integer(
    'AUSPEX_DRAIN_SECONDS',
    [0, 3_600],
    'seconds for which a stop still serves while /readyz answers 503, so that load balancers leave first',
    0,
  ),
  trustedProxies: setting<string[]>({
    env: 'AUSPEX_TRUSTED_PROXIES',
    flag: 'trusted-proxies',
    placeholder: 'list',
    help: 'addresses or networks whose X-Forwarded-For is believed, separated by commas',
    fallback: () => [],
    parse: parseProxies,
  }),
  webhookNetworks: setting<string[]>({
    env: 'AUSPEX_WEBHOOK_NETWORKS',
    flag: 'webhook-networks',
    placeholder: 'list',
    help: 'addresses or networks that webhooks may reach besides public ones, by http too',
    fallback: () => [],
    parse: parseNetworks,
  }),
  metricsToken: secret(
    'AUSPEX_METRICS_TOKEN',
    'bearer token that opens /metrics to callers on other machines',
  ),
  secretKey: unset({
    env: 'AUSPEX_SECRET_KEY',
    placeholder: 'key',
    mask: maskAll,
    help: 'key that encrypts secrets of webhooks; default: the file secret.key in the data folder',
    parse: parseKey,
  }),
  upgradeUrl: unset({
    env: 'AUSPEX_UPGRADE_URL',
    placeholder: 'url',
    help: 'page that answers of status 402 point to; default: the list of plans',
    parse: parseUrlOf(HTTP),
  }),
  plansFile: unset({
    env: 'AUSPEX_PLANS',
    flag: 'plans',
    placeholder: 'file',
    help: 'JSON file with plans and with what was agreed with single accounts; default: the built-in plans',
    parse: (text) => resolve(parseText(text)),
  }),
  freeKeys: setting<'on' | 'off'>({
    env: 'AUSPEX_FREE_KEYS',
    flag: 'free-keys',
    placeholder: 'on|off',
    help: 'off: POST /v1/keys gives no keys; only the operator makes them',
    fallback: () => 'on',
    parse: parseOneOf(['on', 'off']),
  }),
  keyOrigins: setting<string[]>({
    env: 'AUSPEX_KEY_ORIGINS',
    flag: 'key-origins',
    placeholder: 'list',
    help: 'origins whose pages may make free keys besides those of the service, separated by commas; *: all',
    fallback: () => [],
    parse: parseOrigins,
  }),
  copyPnlLimit: setting<'on' | 'off'>({
    env: 'AUSPEX_COPY_PNL_LIMIT',
    placeholder: 'on|off',
    help: 'on: a key may ask /v2/copy-pnl once in 5 seconds, all its paths together',
    fallback: () => 'off',
    parse: parseOneOf(['on', 'off']),
  }),

  // Where the upstreams are, and the credentials of those that ask for some.
  polygonUrl: node('AUSPEX_POLYGON_URL', 'polygon-url', HTTP, 'Polygon node over HTTP'),
  polygonWsUrl: node('AUSPEX_POLYGON_WS_URL', 'polygon-ws-url', SOCKET, 'the same over WebSocket'),
  polygonCallsPerSecond: integer(
    'AUSPEX_POLYGON_CALLS_PER_SECOND',
    [1, 10_000],
    'calls per second that the node allows; half of them are used',
    17,
  ),
  gammaUrl: address('AUSPEX_GAMMA_URL', 'events and markets', 'https://gamma-api.polymarket.com'),
  clobUrl: address('AUSPEX_CLOB_URL', 'order books', 'https://clob.polymarket.com'),
  clobWsUrl: address(
    'AUSPEX_CLOB_WS_URL',
    'live order books',
    'wss://ws-subscriptions-clob.polymarket.com/ws/market',
  ),
  dataApiUrl: address(
    'AUSPEX_DATA_API_URL',
    'positions and trades as the site shows them',
    'https://data-api.polymarket.com',
  ),
  siteUrl: address(
    'AUSPEX_SITE_URL',
    'prices of up-or-down windows as the site shows them',
    'https://polymarket.com',
  ),
  rtdsWsUrl: retirable(
    'AUSPEX_RTDS_WS_URL',
    'live prices of coins that live_v2 does not send',
    'wss://ws-live-data.polymarket.com',
  ),
  liveV2WsUrl: address(
    'AUSPEX_LIVE_V2_WS_URL',
    'live prices of coins, the first source; needs the three CLOB values below',
    'wss://ws-live-v2.polymarket.com/ws',
  ),
  clobApiKey: secret('AUSPEX_CLOB_API_KEY', 'key of a CLOB account'),
  clobSecret: secret('AUSPEX_CLOB_SECRET', 'its secret'),
  clobPassphrase: secret('AUSPEX_CLOB_PASSPHRASE', 'its passphrase'),
  chainlinkUrl: address(
    'AUSPEX_CHAINLINK_URL',
    'Chainlink Data Streams; needs the two values below',
    'https://api.dataengine.chain.link',
  ),
  chainlinkWsUrl: address(
    'AUSPEX_CHAINLINK_WS_URL',
    'the same over WebSocket',
    'wss://ws.dataengine.chain.link',
  ),
  chainlinkApiKey: secret('AUSPEX_CHAINLINK_API_KEY', 'key for Data Streams'),
  chainlinkSecret: secret('AUSPEX_CHAINLINK_SECRET', 'its secret'),
  // Half of it is the ten calls per second of the published fair use policy.
  chainlinkCallsPerSecond: integer(
    'AUSPEX_CHAINLINK_CALLS_PER_SECOND',
    [1, 10_000],
    'calls per second that Data Streams allows; half of them are used',
    20,
  ),

  sportsWsUrl: retirable(
    'AUSPEX_SPORTS_WS_URL',
    'live scores of games',
    'wss://sports-api.polymarket.com/ws',
  ),
  searxngUrl: unset({
    env: 'AUSPEX_SEARXNG_URL',
    placeholder: 'url',
    help: 'SearXNG that searches the web; its format json must be on',
    parse: parseUrlOf(HTTP),
    mask: maskPassword,
  }),
  xApiUrl: address(
    'AUSPEX_X_API_URL',
    'posts of the social network; needs the token below',
    'https://api.x.com',
  ),
  xBearerToken: secret('AUSPEX_X_BEARER_TOKEN', 'bearer token of an app of X'),

  // How much of the chain and of the prices is kept.
  fromBlock: unset({
    env: 'AUSPEX_FROM_BLOCK',
    flag: 'from-block',
    placeholder: 'block',
    help: 'where a new database begins to read the chain; default: a day before its head',
    parse: parseIntegerIn(0, 2 ** 31 - 1),
  }),
  retentionDays: integer(
    'AUSPEX_RETENTION_DAYS',
    [0, 36_500],
    'days after which fills and other bulky facts may be dropped; 0 keeps everything',
    0,
  ),
  tickRetentionDays: integer(
    'AUSPEX_TICK_RETENTION_DAYS',
    [0, 36_500],
    'days after which months of ticks may be dropped; 0 keeps everything',
    0,
  ),
  replayDays: integer(
    'AUSPEX_REPLAY_DAYS',
    [1, 36_500],
    'days for which published events are kept, so that they can be replayed',
    7,
  ),
  recordBooks: setting<'all' | 'off' | string[]>({
    env: 'AUSPEX_RECORD_BOOKS',
    flag: 'record-books',
    placeholder: 'all|off|list',
    help: 'order books that are recorded: of all open markets, or tokens, conditions and slugs with commas between',
    fallback: () => 'off',
    parse: parseBookNames,
  }),
  recordBooksDays: integer(
    'AUSPEX_RECORD_BOOKS_DAYS',
    [0, 36_500],
    'days after which recorded order books are dropped; 0 keeps everything',
    30,
  ),
  archiveTo: unset({
    env: 'AUSPEX_ARCHIVE_TO',
    placeholder: 'place',
    help: 'folder or s3://bucket/prefix to which each day is archived as Parquet when it is final',
    parse: (text) => (text.startsWith('s3://') ? parseText(text) : resolve(parseText(text))),
  }),

  cacheMb: integer('AUSPEX_CACHE_MB', [1, 65_536], 'memory for cached responses, in MiB', 64),
  slowRequestMs: integer(
    'AUSPEX_SLOW_REQUEST_MS',
    [0, 3_600_000],
    'requests that take this many milliseconds or longer are logged, with what took the time; 0: none',
    1_000,
  ),
  logLevel: setting<LogLevel>({
    env: 'AUSPEX_LOG_LEVEL',
    flag: 'log-level',
    placeholder: 'level',
    help: `${LOG_LEVELS.join(', ')}; debug adds a line for every request`,
    fallback: () => 'info',
    parse: parseOneOf(LOG_LEVELS),
  }),
}

export type SettingName = keyof typeof SETTINGS
