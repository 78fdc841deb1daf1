import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HostFaults } from './faults.js'
import type { HttpReply, HttpRequest } from './handlers.js'

const METHODS = ['GET', 'HEAD', 'POST']

/** A request as handlers see it, or the reply to one that no handler shall see. */
export function parseRequest(incoming: IncomingMessage, body: string): HttpRequest | HttpReply {
  const { method = 'GET', url = '/', headers } = incoming
  if (!METHODS.includes(method)) return { status: 405, body: { error: 'method not allowed' } }
  const [rawPath = '/', ...rest] = url.split('?')
  try {
    const path = decodeURIComponent(rawPath)
    return { method, path, query: new URLSearchParams(rest.join('?')), url, headers, body }
  } catch {
    return { status: 400, body: { error: 'malformed path' } }
  }
}

/** `undefined`: it is larger than that. Throws when the client goes away. */
export async function readBody(incoming: IncomingMessage, bytesMax: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Read to the end in any case: a client that is still sending does not see the reply.
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= bytesMax) chunks.push(chunk)
  }
  return bytes > bytesMax ? undefined : Buffer.concat(chunks).toString()
}

/** What a proxy in front of a dead upstream says. */
export const GARBAGE = '<html><head><title>502 Bad Gateway</title></head><body>\u0000</body></html>'

const RETRY_AFTER_SECONDS = 2

/** The reply of a host that does not even look at the request. */
export function refuseByFault(faults: HostFaults, path?: string): HttpReply | undefined {
  if (faults.hits('429', path)) {
    const headers = { 'retry-after': `${RETRY_AFTER_SECONDS}` }
    return { status: 429, body: { error: 'Too Many Requests' }, headers }
  }
  if (faults.hits('500', path)) return { status: 500, body: { error: 'Internal Server Error' } }
  return undefined
}

export function showBody({ body }: HttpReply): string {
  if (body === undefined) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}

export function writeReply(
  response: ServerResponse,
  reply: HttpReply,
  faults: HostFaults,
  path?: string,
): void {
  const bytes = Buffer.from(faults.hits('garbage', path) ? GARBAGE : showBody(reply))
  const skewed = faults.get('skew')
  if (skewed !== undefined) {
    response.setHeader('date', new Date(Date.now() + skewed.skewMs).toUTCString())
  }
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    ...reply.headers,
  })
  if (bytes.length > 0 && faults.hits('truncated', path)) {
    response.write(bytes.subarray(0, bytes.length >> 1), () => response.socket?.destroy())
  } else response.end(bytes)
}
