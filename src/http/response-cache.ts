import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../lib/clock.js'
import type { Metrics } from '../metrics.js'
import type { ChainHead } from './chain-head.js'
import { COMPRESS_BYTES_MIN, type Compressed, compressBytes, type Encoding } from './compression.js'

/** A finished answer: its bytes, ready to send. */
export type CachedAnswer = {
  storedAtMs: number
  expiresAtMs: number
  etag: string
  /** How far the chain was booked when the answer was made; `undefined`: it does not depend on that. */
  head: ChainHead | undefined
  bodies: Partial<Record<Encoding, Buffer>> & { identity: Buffer }
}

/** What a computation gives. */
export type Computed = Pick<CachedAnswer, 'head'> & { text: string }

const ENTRY_OVERHEAD_BYTES = 512

export type EncodedBody = { encoding: Encoding; body: Buffer }

/**
 * Keeps answers as bytes for as long as their route says, within a bound of memory. Any number of
 * requests for an answer that is not there make one computation; one that fails is not kept.
 */
export class ResponseCache {
  readonly #clock: Clock
  readonly #metrics: Metrics
  // Resolved once: finding a counter by its labels costs more than the cache itself.
  readonly #hits: { inc(): void }
  readonly #answers: LRUCache<string, CachedAnswer>
  readonly #running = new Map<string, Promise<CachedAnswer>>()
  readonly #compressing = new Map<string, Promise<Buffer>>()

  constructor(clock: Clock, metrics: Metrics, bytesMax: number) {
    this.#clock = clock
    this.#metrics = metrics
    this.#hits = metrics.cacheLookups.labels('hit')
    this.#answers = new LRUCache({ maxSize: bytesMax, sizeCalculation: sizeOf })
  }

  get bytes(): number {
    return this.#answers.calculatedSize
  }

  /** The answer stored under `key`, or the one that `compute` gives now. */
  get(
    key: string,
    ttlMs: number,
    compute: () => Promise<Computed>,
  ): CachedAnswer | Promise<CachedAnswer> {
    const known = this.#answers.get(key)
    if (known !== undefined && this.#clock.now() < known.expiresAtMs) {
      this.#hits.inc()
      return known
    }
    const running = this.#running.get(key)
    this.#metrics.cacheLookups.inc({ result: running === undefined ? 'miss' : 'joined' })
    return running ?? this.#compute(key, ttlMs, compute)
  }

  /** The stored answer in this encoding, if it is fresh and needs no work. */
  peek(
    key: string,
    encoding: Encoding,
  ): { answer: CachedAnswer; encoded: EncodedBody } | undefined {
    const answer = this.#answers.get(key)
    if (answer === undefined || this.#clock.now() >= answer.expiresAtMs) return undefined
    const encoded = this.encode(key, answer, encoding)
    if (encoded instanceof Promise) return undefined
    this.#hits.inc()
    return { answer, encoded }
  }

  /** The bytes in the wanted encoding, or as they are when they are too few to compress. */
  encode(
    key: string,
    answer: CachedAnswer,
    encoding: Encoding,
  ): EncodedBody | Promise<EncodedBody> {
    const { identity } = answer.bodies
    if (encoding === 'identity' || identity.length < COMPRESS_BYTES_MIN) {
      return { encoding: 'identity', body: identity }
    }
    const ready = answer.bodies[encoding]
    if (ready !== undefined) return { encoding, body: ready }
    return this.#compress(key, answer, encoding).then((body) => ({ encoding, body }))
  }

  #compute(key: string, ttlMs: number, compute: () => Promise<Computed>): Promise<CachedAnswer> {
    const running = compute()
      .then(({ text, head }) => {
        const nowMs = this.#clock.now()
        const identity = Buffer.from(text)
        const etag = hash('sha256', identity, 'base64url').slice(0, 22)
        const bodies = { identity }
        const answer = { storedAtMs: nowMs, expiresAtMs: nowMs + ttlMs, etag, head, bodies }
        this.#answers.set(key, answer)
        return answer
      })
      .finally(() => this.#running.delete(key))
    this.#running.set(key, running)
    return running
  }

  #compress(key: string, answer: CachedAnswer, encoding: Compressed): Promise<Buffer> {
    const id = `${encoding} ${answer.etag} ${key}`
    const running = this.#compressing.get(id)
    if (running !== undefined) return running
    const compressing = compressBytes[encoding](answer.bodies.identity)
      .then((body) => {
        answer.bodies[encoding] = body
        // Set again so that the larger size is counted, unless a newer answer took the place.
        if (this.#answers.peek(key) === answer) {
          this.#answers.delete(key)
          this.#answers.set(key, answer)
        }
        return body
      })
      .finally(() => this.#compressing.delete(id))
    this.#compressing.set(id, compressing)
    return compressing
  }
}

const sizeOf = ({ bodies }: CachedAnswer, key: string): number =>
  Object.values(bodies).reduce((sum, body) => sum + body.length, ENTRY_OVERHEAD_BYTES + key.length)
