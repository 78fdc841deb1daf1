import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { NetworkList, unwrapIpv4 } from '../../lib/ip-address.js'
import { TimeoutError, withTimeout } from '../../lib/timeout.js'
import { pause } from '../../lib/timing.js'
import { REFUSED_NAMES, REFUSED_NETWORKS, whyPortRefused } from './refused-targets.js'

const URL_CHARACTERS_MAX = 2_048
const RESOLVE_MS_MAX = 2_000

/**
 * What is wrong with the URL of a webhook, as the end of "url …"; `undefined`: nothing. `networks` are
 * those that the operator allows besides the public ones. Names are resolved: one that has no address
 * now is refused, because a typing error is better found at once than by failing deliveries.
 */
export async function checkWebhookUrl(
  url: string,
  networks: readonly string[],
  resolve: ResolveHost = createHostResolver(),
): Promise<string | undefined> {
  try {
    const work = new AddressGuard(networks, resolve).resolve(parseTarget(url))
    await withTimeout(work, RESOLVE_MS_MAX, 'names a host that could not be resolved in time')
    return undefined
  } catch (error) {
    if (error instanceof TargetError || error instanceof TimeoutError) return error.message
    throw error
  }
}

/** Where a webhook points, taken apart. */
export type WebhookTarget = {
  url: URL
  /** A name or an address, without brackets. */
  host: string
  port: number
  /** Why only networks of the operator may be reached this way; `undefined`: public ones too. */
  whyRestricted: string | undefined
}

export class TargetError extends Error {
  override name = 'TargetError'
  /** What the history of deliveries says. */
  readonly attemptError: 'address not allowed' | 'dns failure'

  constructor(message: string, attemptError: TargetError['attemptError'] = 'address not allowed') {
    super(message)
    this.attemptError = attemptError
  }
}

/** Throws a `TargetError` when the URL could not be used whatever its host resolves to. */
export function parseTarget(text: string): WebhookTarget {
  if (text.length > URL_CHARACTERS_MAX) {
    throw new TargetError(`is longer than ${URL_CHARACTERS_MAX} characters`)
  }
  // The parser would drop or rewrite these, and people would read another URL than it does.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that are refused
  if (/[\u0000-\u0020\u007f-\u00a0\u2028\u2029\ufeff]/.test(text)) {
    throw new TargetError('contains whitespace or control characters')
  }
  if (text.includes('\\')) throw new TargetError('contains a backslash')
  const url = /^https?:\/\/[^/]/i.test(text) ? parseUrl(text) : undefined
  if (url === undefined) throw new TargetError('is not a URL that starts with https://')
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(text)) {
    throw new TargetError('contains user info')
  }
  if (text.includes('#')) throw new TargetError('contains a fragment')
  return toTarget(url)
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

function toTarget(url: URL): WebhookTarget {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  if (host.endsWith('.')) throw new TargetError('names a host that ends in a dot')
  if (port === 0) throw new TargetError('has port 0')
  return { url, host, port, whyRestricted: whyRestricted(url.protocol, host, port) }
}

function whyRestricted(protocol: string, host: string, port: number): string | undefined {
  if (protocol !== 'https:') return 'does not start with https://'
  const why = whyPortRefused(port)
  if (why !== undefined) return `has port ${port}, ${why}`
  if (isIP(host) !== 0) return undefined
  const refused = REFUSED_NAMES.find(([name]) => host === name || host.endsWith(`.${name}`))
  if (refused !== undefined) return `names the host ${host}, ${refused[1]}`
  if (!host.includes('.')) return `names the host ${host}, which is not a public name`
  return undefined
}

/** Decides which addresses may be dialled. */
export class AddressGuard {
  readonly #networks: NetworkList
  readonly #refused = new NetworkList(REFUSED_NETWORKS.map(([network]) => network))
  readonly #hasNetworks: boolean
  readonly #resolve: ResolveHost

  constructor(networks: readonly string[], resolve: ResolveHost) {
    this.#networks = new NetworkList(networks)
    this.#hasNetworks = networks.length > 0
    this.#resolve = resolve
  }

  /** The addresses of the target. Throws a `TargetError` unless each of them may be dialled. */
  async resolve(target: WebhookTarget): Promise<readonly string[]> {
    const { host, whyRestricted } = target
    if (whyRestricted !== undefined && !this.#hasNetworks) throw new TargetError(whyRestricted)
    const addresses = isIP(host) === 0 ? await this.#lookUp(host) : [host]
    if (addresses.every((address) => this.allows(address, target))) return addresses
    throw new TargetError(whyRestricted ?? 'leads to an address that is not public')
  }

  allows(address: string, { whyRestricted }: Pick<WebhookTarget, 'whyRestricted'>): boolean {
    const plain = unwrapIpv4(address)
    if (isIP(plain) === 0) return false
    if (this.#networks.has(plain)) return true
    return whyRestricted === undefined && !this.#refused.has(plain)
  }

  async #lookUp(host: string): Promise<readonly string[]> {
    const addresses = await this.#resolve(host).catch(() => [])
    if (addresses.length > 0) return addresses
    throw new TargetError(`names the host ${host}, which does not resolve`, 'dns failure')
  }
}

/** The addresses of a name. Rejects, or gives none, when it has no address. */
export type ResolveHost = (host: string) => Promise<readonly string[]>

const QUERY = { timeout: 1_500, tries: 2 }
/** How long a name's IPv4 addresses wait for its IPv6 ones: some name servers never answer for those. */
const IPV6_WAIT_MS = 300
const LOOPBACK = ['127.0.0.1', '::1']

const none = (): string[] => []

/**
 * Resolves names by DNS queries of our own. The system's resolver would occupy one of the few threads
 * of the process for as long as a customer's name server stays silent. So the hosts file and search
 * lists do not count, except that `localhost` is loopback (RFC 6761). Name servers are those of the
 * system unless the caller names others.
 */
export function createHostResolver(nameServers?: readonly string[]): ResolveHost {
  return async (host) => {
    if (host === 'localhost' || host.endsWith('.localhost')) return LOOPBACK
    // Made for each query, as it reads which name servers there are.
    const resolver = new Resolver(QUERY)
    if (nameServers !== undefined) resolver.setServers(nameServers)
    // Each is caught where it begins: one may fail before it is awaited, which would end the process.
    const ipv4 = resolver.resolve4(host).catch(none)
    const ipv6 = resolver.resolve6(host).catch(none)
    const found4 = await ipv4
    const found6 = await (found4.length > 0 ? Promise.race([ipv6, pause(IPV6_WAIT_MS).then(none)]) : ipv6)
    resolver.cancel()
    return [...found4, ...found6]
  }
}
