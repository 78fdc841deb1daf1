import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { LOG_LEVELS, type LogLevel } from './log.js'

/** One setting: where it comes from, what it may be, how it is shown. */
export type Setting<T> = {
  env: string
  /** Without it the setting comes from the environment alone. */
  flag?: string
  placeholder: string
  help: string
  fallback: () => T
  /** Throws an Error whose message completes "PORT=abc: …". */
  read: (text: string) => T
  /** What may be printed in place of the value's text; absent for values that are no secret. */
  mask?: (text: string) => string
}

const setting = <T>(definition: Setting<T>) => definition

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
    mask: () => '********',
  }),
  upgradeUrl: setting<string | undefined>({
    env: 'AUSPEX_UPGRADE_URL',
    placeholder: 'url',
    help: 'page that answers of status 402 point to; default: the list of plans',
    fallback: () => undefined,
    read: readUrl(['http:', 'https:']),
  }),
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

function readText(text: string): string {
  if (text.trim() === '') throw new Error('is empty')
  return text.trim()
}

function readInteger(min: number, max: number) {
  return (text: string): number => {
    const value = /^\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max)) throw new Error(`must be an integer from ${min} to ${max}`)
    return value
  }
}

function readOneOf<T extends string>(allowed: readonly T[]) {
  return (text: string): T => {
    const found = allowed.find((value) => value === text.trim().toLowerCase())
    if (found === undefined) throw new Error(`must be one of ${allowed.join(', ')}`)
    return found
  }
}

function readUrl(protocols: string[]) {
  return (text: string): string => {
    const protocol = URL.canParse(text.trim()) ? new URL(text.trim()).protocol : ''
    if (!protocols.includes(protocol)) {
      throw new Error(
        `must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`,
      )
    }
    return text.trim().replace(/\/+$/, '')
  }
}

function readProxies(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim())
  for (const part of parts) {
    if (!isNetwork(part)) throw new Error(`"${part}" is neither an address nor a network`)
  }
  return parts
}

function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  // Believing everybody (/0) would let every client choose its own address.
  const bitsMax = family === 4 ? 32 : 128
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= bitsMax)
}

function maskPassword(text: string): string {
  const url = new URL(text)
  if (url.password !== '') url.password = '********'
  if (url.searchParams.has('password')) url.searchParams.set('password', '********')
  return url.toString()
}
