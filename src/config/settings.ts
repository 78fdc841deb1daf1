import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { LOG_LEVELS, type LogLevel } from '../lib/log.js'
import { CHAIN_SETTINGS } from './chain-settings.js'
import { ORACLE_SETTINGS } from './price-settings.js'
import {
  maskAll,
  maskPassword,
  readInteger,
  readOneOf,
  readProxies,
  readText,
  readUrl,
  setting,
} from './setting.js'
import { UPSTREAM_SETTINGS } from './upstream-settings.js'

/** Every setting of the service, in the order in which `auspex config` and the documentation list them. */
export const SETTINGS = {
  host: setting({
    env: 'AUSPEX_HOST',
    flag: 'host',
    placeholder: 'address',
    help: 'address to listen on; 0.0.0.0 or :: opens the service to the network',
    fallback: () => '127.0.0.1',
    read: readText,
  }),
  port: setting({
    env: 'PORT',
    flag: 'port',
    placeholder: 'number',
    help: 'port to listen on; 0 takes a free one',
    fallback: () => 8080,
    read: readInteger(0, 65_535),
  }),
  publicUrl: setting<string | undefined>({
    env: 'AUSPEX_PUBLIC_URL',
    flag: 'public-url',
    placeholder: 'url',
    help: 'address under which clients reach the service; default: the one each client used',
    fallback: () => undefined,
    read: readUrl(['http:', 'https:']),
  }),
  dataDir: setting({
    env: 'AUSPEX_DATA',
    flag: 'data',
    placeholder: 'folder',
    help: 'folder for everything that the service keeps, the embedded database included',
    fallback: () => resolve('.auspex'),
    read: (text) => resolve(readText(text)),
  }),
  databaseUrl: setting<string | undefined>({
    env: 'DATABASE_URL',
    flag: 'database-url',
    placeholder: 'url',
    help: 'PostgreSQL 15 or later to use instead of the embedded one',
    fallback: () => undefined,
    read: readUrl(['postgres:', 'postgresql:']),
    mask: maskPassword,
  }),
  databaseConnections: setting({
    env: 'AUSPEX_DATABASE_CONNECTIONS',
    placeholder: 'number',
    help: 'connections that one process opens to PostgreSQL at most',
    fallback: () => Math.max(8, Math.min(32, availableParallelism() * 4)),
    read: readInteger(2, 200),
  }),
  trustedProxies: setting<string[]>({
    env: 'AUSPEX_TRUSTED_PROXIES',
    flag: 'trusted-proxies',
    placeholder: 'list',
    help: 'addresses or networks whose X-Forwarded-For is believed, separated by commas',
    fallback: () => [],
    read: readProxies,
  }),
  metricsToken: setting<string | undefined>({
    env: 'AUSPEX_METRICS_TOKEN',
    placeholder: 'secret',
    help: 'bearer token that opens /metrics to callers on other machines',
    fallback: () => undefined,
    read: readText,
    mask: maskAll,
  }),
  upgradeUrl: setting<string | undefined>({
    env: 'AUSPEX_UPGRADE_URL',
    placeholder: 'url',
    help: 'page that answers of status 402 point to; default: the list of plans',
    fallback: () => undefined,
    read: readUrl(['http:', 'https:']),
  }),
  ...UPSTREAM_SETTINGS,
  ...CHAIN_SETTINGS,
  ...ORACLE_SETTINGS,
  cacheMb: setting({
    env: 'AUSPEX_CACHE_MB',
    placeholder: 'number',
    help: 'memory for cached responses, in MiB',
    fallback: () => 64,
    read: readInteger(1, 65_536),
  }),
  logLevel: setting<LogLevel>({
    env: 'AUSPEX_LOG_LEVEL',
    flag: 'log-level',
    placeholder: 'level',
    help: `${LOG_LEVELS.join(', ')}; debug adds a line for every request`,
    fallback: () => 'info',
    read: readOneOf(LOG_LEVELS),
  }),
}

export type SettingName = keyof typeof SETTINGS
