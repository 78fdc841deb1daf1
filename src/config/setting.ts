import { isIP } from 'node:net'

/** One setting: where it comes from, what it may be, how it is shown. */
export type Setting<T> = {
  env: string
  /** Without it the setting comes from the environment alone. */
  flag?: string
  placeholder: string
  help: string
  fallback: () => T
  /** Throws an Error whose message completes "PORT=abc: …". */
  parse: (text: string) => T
  /** What may be printed instead of the value; absent for values that are no secret. */
  mask?: (text: string) => string
}

export const setting = <T>(definition: Setting<T>) => definition

export function parseText(text: string): string {
  if (text.trim() === '') throw new Error('is empty')
  return text.trim()
}

/** 64 hexadecimal digits, or 32 bytes as base64; returns the digits. */
export function parseKey(text: string): string {
  const given = text.trim()
  if (/^[0-9a-f]{64}$/i.test(given)) return given.toLowerCase()
  const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(given)
  if (!isBase64) throw new Error('must be 64 hexadecimal digits, or 32 bytes as base64')
  return Buffer.from(given, 'base64').toString('hex')
}

export function parseIntegerIn(min: number, max: number) {
  return (text: string): number => {
    const value = /^\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max)) throw new Error(`must be an integer from ${min} to ${max}`)
    return value
  }
}

export function parseOneOf<T extends string>(allowed: readonly T[]) {
  return (text: string): T => {
    const found = allowed.find((value) => value === text.trim().toLowerCase())
    if (found === undefined) throw new Error(`must be one of ${allowed.join(', ')}`)
    return found
  }
}

export function parseUrlOf(protocols: string[]) {
  return (text: string): string => {
    const protocol = URL.canParse(text.trim()) ? new URL(text.trim()).protocol : ''
    if (!protocols.includes(protocol)) {
      throw new Error(`must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    }
    return text.trim().replace(/\/+$/, '')
  }
}

const PROXY_NAMES = ['loopback', 'linklocal', 'uniquelocal']

export const parseProxies = (text: string): string[] =>
  parseListOf(text, (part) => PROXY_NAMES.includes(part) || isNetwork(part))

export const parseNetworks = (text: string): string[] => parseListOf(text, isNetwork)

/** Order books by token, condition or slug, in one spelling; `all`, or `off`. */
export function parseBookNames(text: string): 'all' | 'off' | string[] {
  const names = text.split(',').map((part) => part.trim().toLowerCase())
  const [first] = names
  if (names.length === 1 && (first === 'all' || first === 'off')) return first
  if (names.length > BOOK_NAMES_MAX) throw new Error(`has more than ${BOOK_NAMES_MAX} names`)
  for (const name of names) {
    const isName = BOOK_NAME.test(name) && name !== 'all' && name !== 'off'
    if (!isName) throw new Error(`"${name}" is no token id, condition id or slug`)
  }
  return names
}

const BOOK_NAMES_MAX = 10_000
/** Token ids, condition ids and slugs; no name is longer. */
const BOOK_NAME = /^[a-z0-9][a-z0-9._-]{0,299}$/

/** Each as browsers send it, or `*`. */
export const parseOrigins = (text: string): string[] =>
  text.split(',').map((part) => {
    const given = part.trim()
    if (given === '*') return given
    const { protocol = '', origin = '', href } = URL.canParse(given) ? new URL(given) : {}
    const isOrigin = /^https?:$/.test(protocol) && href === `${origin}/`
    if (!isOrigin) throw new Error(`"${given}" is no origin, such as https://app.example.org`)
    return origin
  })

function parseListOf(text: string, isGood: (part: string) => boolean): string[] {
  const parts = text.split(',').map((part) => part.trim())
  for (const part of parts) {
    if (!isGood(part)) throw new Error(`"${part}" is neither an address nor a network`)
  }
  return parts
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || address.includes('%') || rest.length > 0) return false
  // Trusting every address (/0) would let each client choose its own, and webhooks reach everything.
  const bitsMax = family === 4 ? 32 : 128
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= bitsMax)
}

export function maskPassword(text: string): string {
  const url = new URL(text)
  if (url.password !== '') url.password = '********'
  if (url.searchParams.has('password')) url.searchParams.set('password', '********')
  return url.toString()
}

/** Keys of providers are part of the path or the query of an address. */
export function maskAddress(text: string): string {
  const { protocol, host, pathname, search } = new URL(text)
  return `${protocol}//${host}${pathname.length > 1 || search !== '' ? '/********' : ''}`
}

export const maskAll = (): string => '********'
