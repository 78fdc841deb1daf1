import type { IncomingHttpHeaders } from 'node:http'
import { SESSION_SECONDS } from '../accounts/web-sessions.js'
import type { Config } from '../config/config.js'
import { ApiError } from '../core/errors.js'
import { isOriginOf } from './own-host.js'

const NAME = 'auspex_session'

/** The cookie of a session. `isSecure`: the client came over TLS, and the browser sends it over nothing else then. */
export const formatSessionCookie = (token: string, { isSecure }: { isSecure: boolean }): string =>
  `${NAME}=${token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${SESSION_SECONDS}${isSecure ? '; Secure' : ''}`

/** Makes a browser forget the cookie. */
export const CLEARED_SESSION_COOKIE = `${NAME}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0`

/** A request of HTTP or for a WebSocket; `host` as trusted proxies say. */
type CookieRequest = { headers: IncomingHttpHeaders; host: string }
type Site = Pick<Config, 'publicUrl'>

/**
 * The token of the session that a request carries; `undefined`: none. Throws a 403 when a page of another origin sent
 * the request, because a browser adds the cookies of a site to the requests of any page. `isChange`: the request changes something or opens
 * a WebSocket, and has to say where it comes from.
 */
export function findSession(request: CookieRequest, site: Site, options: FindOptions): string | undefined {
  // Programs send no cookies, and no further work is done for them.
  if (request.headers.cookie === undefined) return undefined
  const [token, second] = findSessions(request, site, options)
  // A page of a neighbouring subdomain can set a second one, of an account of its own.
  if (second !== undefined) {
    throw new ApiError(401, 'The session cookie was sent twice. Sign out, and in again.')
  }
  return token
}

type FindOptions = { isChange: boolean }

/** All of them. Throws like `findSession`. */
export function findSessions(request: CookieRequest, site: Site, { isChange }: FindOptions): string[] {
  const values = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${NAME}=`))
    .map((pair) => pair.slice(NAME.length + 1))
    .filter((value) => value !== '')
  if (values.length === 0) return []
  refuseOtherOrigin(request, site)
  if (isChange && !saysOrigin(request)) throw noOrigin()
  return [...new Set(values)]
}

/** Throws a 403 when a browser says that a page of another origin sent the request. */
export function refuseOtherOrigin({ headers, host }: CookieRequest, { publicUrl }: Site): void {
  const { origin, 'sec-fetch-site': site = 'none' } = headers
  const isOwn =
    origin === undefined ||
    isOriginOf(origin, host) ||
    (publicUrl !== undefined && origin === new URL(publicUrl).origin)
  if (isOwn && (site === 'same-origin' || site === 'none')) return
  throw new ApiError(
    403,
    'A session works for pages of this service alone, and the request comes from a page of another origin. ' +
      'Send an API key instead, or set AUSPEX_PUBLIC_URL where a proxy hides the host.',
  )
}

const saysOrigin = ({ headers }: CookieRequest): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined

const noOrigin = () =>
  new ApiError(
    403,
    'The request has a session cookie and neither an Origin nor a Sec-Fetch-Site header, which show that a page of ' +
      'this service sent it. Send an API key instead.',
  )
