import { hash } from 'node:crypto'
import type { ChainHead } from '../chain/chain-status.js'
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

export function createAnswer(
  text: string,
  { storedAtMs, expiresAtMs, head }: Origin,
): CachedAnswer {
  const identity = Buffer.from(text)
  const etag = hash('sha256', identity, 'base64url').slice(0, 22)
  // Below zero: the answer was finished after its end.
  const maxAgeSec = Math.max(0, Math.floor((expiresAtMs - storedAtMs) / 1000))
  const cacheControl = `private, max-age=${maxAgeSec}`
  return { storedAtMs, expiresAtMs, cacheControl, etag, head, bodies: { identity } }
}

const ENTRY_OVERHEAD_BYTES = 512

/** The memory that an answer holds in the cache. */
export const sizeOf = ({ bodies }: CachedAnswer, key: string): number =>
  Object.values(bodies).reduce((sum, body) => sum + body.length, ENTRY_OVERHEAD_BYTES + key.length)
