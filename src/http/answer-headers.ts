import type { FastifyRequest } from 'fastify'
import type { CachedAnswer, EncodedBody } from './cached-answer.js'
import { headHeaders } from './chain-head.js'
import type { Encoding } from './compression.js'

/** What is said of a cached answer with its bytes and without: names and values in turn. */
export function headersOf(answer: CachedAnswer, encoding: Encoding, nowMs: number): string[] {
  const { head, etag, cacheControl, storedAtMs } = answer
  // Rounded up, as max-age is rounded down: nobody believes the answer fresh past its end.
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

/** Whether the client has said that it holds the answer in this encoding. */
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

// The same answer in another encoding is other bytes: a strong tag must tell them apart.
const showEtag = (etag: string, encoding: Encoding): string =>
  encoding === 'identity' ? `"${etag}"` : `"${etag}-${encoding}"`
