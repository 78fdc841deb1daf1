import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'

/** Reads the address of the client as Fastify does for its requests, from requests that it does not see. */
export function createAddressReader(trustedProxies: readonly string[]) {
  const isTrusted = proxyAddr.compile([...trustedProxies])
  return (request: IncomingMessage): string => proxyAddr(request, isTrusted)
}
