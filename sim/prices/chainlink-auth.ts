import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { HttpReply, HttpRequest } from '../server/handlers.js'

export type ChainlinkCredentials = { apiKey: string; secret: string }

const CLOCK_DIFFERENCE_MS_MAX = 5_000

/** The refusal of a request that is not signed, or not signed now and by us; `undefined`: it is good. */
export function checkSignature(
  request: HttpRequest,
  credentials: ChainlinkCredentials,
  nowMs: number,
): HttpReply | undefined {
  const apiKey = request.headers.authorization
  const timestamp = request.headers['x-authorization-timestamp']
  const signature = request.headers['x-authorization-signature-sha256']
  if (apiKey === undefined || typeof timestamp !== 'string' || typeof signature !== 'string') {
    return { status: 400, body: { error: 'missing authentication headers' } }
  }
  if (!/^\d{1,15}$/.test(timestamp)) {
    return { status: 400, body: { error: 'malformed authentication timestamp' } }
  }
  if (apiKey !== credentials.apiKey) return unauthorized('unknown api key')
  if (Math.abs(Number(timestamp) - nowMs) > CLOCK_DIFFERENCE_MS_MAX) {
    return unauthorized('authentication timestamp is too far from the time of the server')
  }
  return isEqual(signature, sign(request, credentials, timestamp))
    ? undefined
    : unauthorized('invalid signature')
}

function sign(request: HttpRequest, credentials: ChainlinkCredentials, timestamp: string): string {
  const { method, url, body } = request
  const bodyHash = createHash('sha256').update(body).digest('hex')
  return createHmac('sha256', credentials.secret)
    .update(`${method} ${url} ${bodyHash} ${credentials.apiKey} ${timestamp}`)
    .digest('hex')
}

const unauthorized = (error: string): HttpReply => ({ status: 401, body: { error } })

function isEqual(given: string, expected: string): boolean {
  const a = Buffer.from(given)
  const b = Buffer.from(expected)
  return a.length === b.length && timingSafeEqual(a, b)
}
