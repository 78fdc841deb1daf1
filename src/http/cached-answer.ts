import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { ChainHead } from '../core/chain-status.js'
import { headHeaders } from './chain-head.js'
import type { Encoding } from './compression.js'

/** A finished answer: its bytes, ready to send. */
export type CachedAnswer = {
  storedAtMs: number
  expiresAtMs: number
  /** The header, written once: how long the answer lives from `storedAtMs` on. */
  cacheControl: string
  etag: string
  /** How far the chain was booked when the answer was made; `undefined`: it does not depend on that. */
  head: ChainHead | undefined
  bodies: Partial<Record<Encoding, Buffer>> & { identity: Buffer }
}

export type EncodedBody = { encoding: Encoding; body: Buffer }

type Origin = Pick<CachedAnswer, 'storedAtMs' | 'expiresAtMs' | 'head'>

export function createAnswer(text: string, origin: Origin): CachedAnswer {
  const { storedAtMs, expiresAtMs } = origin
  const identity = Buffer.from(text)
  const etag = hash('sha256', identity, 'base64url').slice(0, 22)
  // Below zero: the answer was finished after its end.
  const maxAgeSec = Math.max(0, Math.floor((expiresAtMs - storedAtMs) / 1000))
  const cacheControl = `private, max-age=${maxAgeSec}`
  return { ...origin, cacheControl, etag, bodies: { identity } }
}

/** The memory that an answer holds in the cache: 512 bytes beside its bodies and its key. */
export const sizeOf = ({ bodies }: CachedAnswer, key: string): number =>
  Object.values(bodies).reduce((sum, body) => sum + body.length, 512 + key.length)

/** The headers of a cached answer, with its bytes or without: names and values alternate. */
export function headersOf(answer: CachedAnswer, encoding: Encoding, nowMs: number): string[] {
  const { head, etag, cacheControl, storedAtMs } = answer
  // Rounded up, as max-age is rounded down: no client takes the answer for fresh past its end.
  const ageSec = Math.ceil(Math.max(0, nowMs - storedAtMs) / 1000)
  return [
    ...(head === undefined ? [] : headHeaders(head, nowMs)),
    'etag',
    showEtag(etag, encoding),
    'cache-control',
    cacheControl,
    'age',
    `${ageSec}`,
    'vary',
    'accept-encoding',
  ]
}

const JSON_BODY = ['content-type', 'application/json; charset=utf-8']

export const bodyHeadersOf = ({ encoding }: EncodedBody): string[] =>
  encoding === 'identity' ? JSON_BODY : [...JSON_BODY, 'content-encoding', encoding]

/** Whether the client holds the answer in this encoding, by its `if-none-match`. */
export function isKnownToClient(
  { headers }: FastifyRequest,
  { etag }: CachedAnswer,
  encoding: Encoding,
): boolean {
  const known = headers['if-none-match']
  if (known === undefined) return false
  if (known.trim() === '*') return true
  const shown = showEtag(etag, encoding)
  return known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === shown)
}

// The same answer in another encoding is other bytes: a strong tag must differ.
const showEtag = (etag: string, encoding: Encoding): string =>
  encoding === 'identity' ? `"${etag}"` : `"${etag}-${encoding}"`
