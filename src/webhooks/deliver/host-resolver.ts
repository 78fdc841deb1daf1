import { Resolver } from 'node:dns/promises'
import { pause } from '../../lib/timing.js'

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
 * system unless others are given.
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
