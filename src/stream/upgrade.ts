import type { IncomingMessage } from 'node:http'
import { createAddressReader } from '../http/client-address.js'

/** The two sockets of the service: that of events, which also speaks of orderbooks, and that of orderbooks alone. */
export type SocketKind = 'events' | 'orderbook'

/** What a client asks for when it connects. */
export type SocketRequest = {
  socket: SocketKind
  address: string
  /** In the form in which routes have them, for the search of the key. */
  query: { key: string | string[] | undefined }
  headers: IncomingMessage['headers']
  options: ConnectionOptions | { code: string; message: string }
}

export type ConnectionOptions = {
  isDeflated: boolean
  /** Books come with checksums. */
  hasIntegrity: boolean
}

const PATHS: Readonly<Record<string, SocketKind>> = {
  '/ws': 'events',
  '/ws/': 'events',
  '/ws/orderbook': 'orderbook',
  '/ws/orderbook/': 'orderbook',
}

/** Reads requests that ask for a WebSocket; `undefined`: there is none at this path. */
export function createUpgradeReader(trustedProxies: readonly string[]) {
  const readAddress = createAddressReader(trustedProxies)
  return (request: IncomingMessage): SocketRequest | undefined => {
    const { url = '/', headers } = request
    const queryAt = url.indexOf('?')
    const socket = PATHS[queryAt === -1 ? url : url.slice(0, queryAt)]
    if (socket === undefined) return undefined
    const parameters = new URLSearchParams(queryAt === -1 ? '' : url.slice(queryAt + 1))
    const keys = parameters.getAll('key')
    return {
      socket,
      address: readAddress(request),
      query: { key: keys.length > 1 ? keys : keys[0] },
      headers,
      options: readOptions(socket, parameters),
    }
  }
}

function readOptions(socket: SocketKind, parameters: URLSearchParams): SocketRequest['options'] {
  const compress = parameters.get('compress')
  if (compress !== null && compress !== '' && compress !== 'zlib') {
    return { code: 'invalid_compress_option', message: 'Invalid compress. Allowed: zlib' }
  }
  const integrity = parameters.get('integrity')
  const isChoice = integrity === null || integrity === '0' || integrity === '1'
  if (socket === 'orderbook' && !isChoice) {
    return { code: 'invalid_integrity_option', message: 'Invalid integrity. Allowed: 0, 1' }
  }
  return { isDeflated: compress === 'zlib', hasIntegrity: integrity === '1' }
}
