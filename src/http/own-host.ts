import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config/config.js'

/**
 * Whether a Host header names this service in a way that no stranger's DNS can: by a loopback name, by an
 * address, or as the operator says. A page may let a name of its own point to this machine (DNS rebinding); its
 * requests come from the visitor's browser then, and have that name as their host.
 */
export function isOwnHost(host: string, { publicUrl }: Pick<Config, 'publicUrl'>): boolean {
  const name = hostnameOf(`http://${host}`)
  if (name === undefined) return false
  if (name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0) return true
  return publicUrl !== undefined && name === hostnameOf(publicUrl)
}

/** Without port, brackets and the dot of a full name; `undefined`: it is no address. */
const hostnameOf = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$|\.$/g, '') : undefined

type KeySettings = Pick<Config, 'publicUrl' | 'keyOrigins'>

/**
 * Whether a page of this origin may make a free key: one of this service, or one that the operator allows. Any
 * other page could make a key from the address of each of its visitors, and collect them.
 */
export function mayMakeKey(origin: string, request: FastifyRequest, settings: KeySettings): boolean {
  const { publicUrl, keyOrigins } = settings
  if (keyOrigins.includes('*') || keyOrigins.includes(origin)) return true
  if (publicUrl !== undefined && origin === new URL(publicUrl).origin) return true
  // Browsers send it where the page is safe from rebinding, and no page can set it. It also counts behind a
  // proxy that does not pass the host on.
  if (request.headers['sec-fetch-site'] === 'same-origin') return true
  return isOriginOf(origin, request.host) && (publicUrl === undefined || isOwnHost(request.host, settings))
}

/**
 * Whether a page of this origin is one of this service, under a name that no stranger's DNS has: what the Model Context
 * Protocol asks for.
 */
export function isOwnOrigin(
  origin: string,
  request: FastifyRequest,
  settings: Pick<Config, 'publicUrl'>,
): boolean {
  const { publicUrl } = settings
  if (publicUrl !== undefined && origin === new URL(publicUrl).origin) return true
  if (request.headers['sec-fetch-site'] === 'same-origin') return true
  return isOriginOf(origin, request.host) && isOwnHost(request.host, settings)
}

/** Whether an origin has this host and port. The protocols may differ: a proxy in front of the service ends TLS. */
export function isOriginOf(origin: string, ownHost: string): boolean {
  const { protocol, host } = URL.canParse(origin) ? new URL(origin) : {}
  const own = `${protocol}//${ownHost}`
  return host !== undefined && host !== '' && URL.canParse(own) && new URL(own).host === host
}
