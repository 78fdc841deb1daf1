import { LRUCache } from 'lru-cache'
import { Counter, type Registry } from 'prom-client'
import type { Clock } from '../core/clock.js'
import { type CachedAnswer, createAnswer, type EncodedBody, sizeOf } from './cached-answer.js'
import { COMPRESS_BYTES_MIN, type Compressed, type Compressor, type Encoding } from './compression.js'

/** What a computation gives. */
export type Computed = Pick<CachedAnswer, 'head'> & {
  ttlMs: number
  text: string
  /** What is kept instead of `text`; `undefined`: the same. */
  repeatedText?: string | undefined
}

/** Gets the time at which it begins. */
type Compute = (nowMs: number) => Promise<Computed>

type CacheDeps = { clock: Clock; registry: Registry; compressor: Compressor }

type Running = { boundaryMs: number; answer: Promise<CachedAnswer> }

/**
 * Keeps answers as bytes for as long as their route says, within a bound of memory. Any number of
 * requests for an answer that is not there make one computation; one that fails is not kept.
 *
 * A computation belongs to the stretch of its grid in which it began. From the boundary on no request
 * joins it and its answer is dropped; when it ends later, only the requests that waited get the answer.
 */
export class ResponseCache {
  readonly #clock: Clock
  readonly #lookups: Counter<'result'>
  readonly #compressor: Compressor
  // Resolved once: finding a counter by its labels costs more than the cache itself.
  readonly #hits: { inc(): void }
  readonly #answers: LRUCache<string, CachedAnswer>
  readonly #running = new Map<string, Running>()
  readonly #compressing = new Map<string, Promise<Buffer>>()

  constructor({ clock, registry, compressor }: CacheDeps, bytesMax: number) {
    this.#clock = clock
    this.#lookups = new Counter({
      name: 'auspex_response_cache_lookups_total',
      help: 'Answers of cached routes by how they came about: hit, miss, or joined a running miss',
      labelNames: ['result'] as const,
      registers: [registry],
    })
    this.#compressor = compressor
    this.#hits = this.#lookups.labels('hit')
    this.#answers = new LRUCache({ maxSize: bytesMax, sizeCalculation: sizeOf })
  }

  get bytes(): number {
    return this.#answers.calculatedSize
  }

  /**
   * The answer stored under `key`, or the one that `compute` gives now. Boundaries are the multiples
   * of `gridMs` since the epoch; `Infinity`: there are none.
   */
  get(key: string, gridMs: number, compute: Compute): CachedAnswer | Promise<CachedAnswer> {
    const nowMs = this.#clock.now()
    const known = this.#answers.get(key)
    // Stored in the time to come: the clock was set back since then.
    if (known !== undefined && known.storedAtMs <= nowMs && nowMs < known.expiresAtMs) {
      this.#hits.inc()
      return known
    }
    const running = this.#running.get(key)
    if (running !== undefined && nowMs < running.boundaryMs) {
      this.#lookups.inc({ result: 'joined' })
      return running.answer
    }
    this.#lookups.inc({ result: 'miss' })
    const boundaryMs = (Math.floor(nowMs / gridMs) + 1) * gridMs
    return this.#run(key, boundaryMs, compute(nowMs))
  }

  /** The bytes in the wanted encoding, or as they are when they are too few to compress. */
  encode(key: string, answer: CachedAnswer, encoding: Encoding): EncodedBody | Promise<EncodedBody> {
    const { identity } = answer.bodies
    if (encoding === 'identity' || identity.length < COMPRESS_BYTES_MIN) {
      return { encoding: 'identity', body: identity }
    }
    const ready = answer.bodies[encoding]
    if (ready !== undefined) return { encoding, body: ready }
    return this.#compress(key, answer, encoding).then((body) => ({ encoding, body }))
  }

  #run(key: string, boundaryMs: number, computing: Promise<Computed>): Promise<CachedAnswer> {
    const answer = computing
      .then((computed) => this.#finish(key, boundaryMs, computed))
      .finally(() => {
        // After the boundary a newer computation may have replaced this one.
        if (this.#running.get(key) === running) this.#running.delete(key)
      })
    const running = { boundaryMs, answer }
    this.#running.set(key, running)
    return answer
  }

  /** Stores what may be served again, and returns the answer for the requests that waited. */
  #finish(key: string, boundaryMs: number, computed: Computed): CachedAnswer {
    const { ttlMs, text, repeatedText, head } = computed
    const storedAtMs = this.#clock.now()
    const expiresAtMs = Math.min(storedAtMs + ttlMs, boundaryMs)
    const origin = { storedAtMs, expiresAtMs, head }
    const answer = createAnswer(text, origin)
    if (storedAtMs < expiresAtMs) {
      const kept = repeatedText === undefined ? answer : createAnswer(repeatedText, origin)
      this.#answers.set(key, kept)
    }
    return answer
  }

  #compress(key: string, answer: CachedAnswer, encoding: Compressed): Promise<Buffer> {
    const id = `${encoding} ${answer.etag} ${key}`
    const running = this.#compressing.get(id)
    if (running !== undefined) return running
    const compressing = this.#compressor
      .compress(encoding, answer.bodies.identity)
      .then((body) => {
        answer.bodies[encoding] = body
        // Set again so that the larger size is counted, unless a newer answer has replaced this one.
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
