import { createHash, createHmac } from 'node:crypto'

export type ChainlinkCredentials = { apiKey: string; secret: string }

export type SignedRequest = {
  method: string
  /** Path and query, from the root of the host. */
  target: string
  body?: string | undefined
}

/** The headers of a request or a handshake. Good for five seconds around that moment. */
export function signRequest(
  { apiKey, secret }: ChainlinkCredentials,
  { method, target, body = '' }: SignedRequest,
  nowMs: number,
): Record<string, string> {
  const bodyHash = createHash('sha256').update(body).digest('hex')
  const signature = createHmac('sha256', secret)
    .update(`${method} ${target} ${bodyHash} ${apiKey} ${nowMs}`)
    .digest('hex')
  return {
    Authorization: apiKey,
    'X-Authorization-Timestamp': String(nowMs),
    'X-Authorization-Signature-SHA256': signature,
  }
}
