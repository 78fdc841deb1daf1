import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'

/** Reads the address of the client as Fastify does for its requests, from requests that it does not see. */
export function createAddressReader(trustedProxies: readonly string[]) {
  const isTrusted = proxyAddr.compile([...trustedProxies])
  return (request: IncomingMessage): string => proxyAddr(request, isTrusted)
}

/** Reads the host of the request, as Fastify does: the header of a trusted proxy goes before that of the client. */
export function createHostReader(trustedProxies: readonly string[]) {
  const isTrusted = proxyAddr.compile([...trustedProxies])
  return ({ headers, socket }: IncomingMessage): string => {
    const forwarded = headers['x-forwarded-host']
    const isForwarded = forwarded !== undefined && isTrusted(socket.remoteAddress ?? '', 0)
    return (isForwarded ? [forwarded].flat().join().split(',').at(-1)?.trim() : headers.host) ?? ''
  }
}
