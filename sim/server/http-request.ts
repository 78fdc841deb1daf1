import type { IncomingMessage } from 'node:http'
import type { HttpReply, HttpRequest } from './host.js'

const METHODS = ['GET', 'HEAD', 'POST']

/** A request as handlers see it, or the reply to one that no handler shall see. */
export function readRequest(incoming: IncomingMessage, body: string): HttpRequest | HttpReply {
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
export async function readBody(
  incoming: IncomingMessage,
  bytesMax: number,
): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Read to the end in any case: a client that is still sending does not see the reply.
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= bytesMax) chunks.push(chunk)
  }
  return bytes > bytesMax ? undefined : Buffer.concat(chunks).toString()
}
