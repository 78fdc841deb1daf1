import type { IncomingMessage, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import { chargesOf, type KeyedAccess, mayPass } from '../accounts/access.js'
import type { Caller } from '../accounts/key-ring.js'
import type { Verdict } from '../accounts/limits/limiter.js'
import type { Context } from '../context.js'
import { limitHeaders, type TermsOf } from './limit-headers.js'
import { addTime, type Tallies } from './request-times.js'

/** An answer from the cache, ready to send: its headers (names and values in turn) and its bytes. */
export type ReadyAnswer = { headers: string[]; body: Buffer }

/** A cached route with one set of parameters. */
export type Way = {
  access: KeyedAccess
  termsOf: TermsOf
  tallies: Tallies
  /** `undefined`: there is no fresh answer in this encoding right now. */
  ready: (acceptEncoding: string | undefined) => ReadyAnswer | undefined
}

const WAYS_MAX = 10_000

/**
 * Answers the plainest of all requests before the framework sees them: a GET with the key in its
 * header and nothing special about it, for an answer that lies in the cache, by a caller who is known
 * and within limits. That is most of what a busy service does, and costs a fifth less this way.
 * Whatever else comes is left untouched to the framework, refusals included.
 */
export class FastLane {
  readonly #ctx: Context
  readonly #nextId: () => string
  // By the URL as it was sent. Only URLs that the framework has validated and answered get in.
  readonly #ways = new LRUCache<string, Way>({ max: WAYS_MAX })
  #isOpen: boolean

  constructor(ctx: Context, nextId: () => string) {
    this.#ctx = ctx
    this.#nextId = nextId
    // At debug level every request is logged, which is the framework's side of the house.
    this.#isOpen = !ctx.log.isLevelEnabled('debug')
  }

  /** From now on requests for this URL may take the lane. */
  learn(request: IncomingMessage, way: Way): void {
    const { url = '' } = request
    const isNew = this.#isOpen && !this.#ways.has(url)
    if (isNew && secretOf(request) !== undefined) this.#ways.set(url, way)
  }

  /** Answers, or leaves the request to `framework`. */
  take(request: IncomingMessage, response: ServerResponse, framework: () => void): void {
    const way = this.#isOpen ? this.#ways.get(request.url ?? '') : undefined
    const caller = way === undefined ? undefined : this.#recognise(request, way)
    const answer = caller === undefined ? undefined : way?.ready(request.headers['accept-encoding'])
    if (way === undefined || caller === undefined || answer === undefined) {
      framework()
      return
    }
    const startedAt = performance.now()
    const { tariff, policy } = way.termsOf(caller.plan)
    const finish = (verdict: Verdict) => {
      if (!verdict.allowed) {
        // A refusal charges nothing, so the framework can ask again and say so properly.
        framework()
        return
      }
      const limits = limitHeaders(policy, verdict, this.#ctx.clock.now())
      response.writeHead(200, ['x-request-id', this.#nextId(), ...limits, ...answer.headers])
      response.end(answer.body)
      this.#ctx.usage.add(caller.accountId, 'api_requests', 1)
      addTime(way.tallies, 'GET', 200, (performance.now() - startedAt) / 1000)
    }
    const verdict = this.#ctx.limiter.take(chargesOf(caller, tariff))
    if (verdict instanceof Promise) verdict.then(finish, framework)
    else finish(verdict)
  }

  /** While the service drains, the framework answers alone: it closes the connections. */
  close(): void {
    this.#isOpen = false
  }

  #recognise(request: IncomingMessage, { access }: Way): Caller | undefined {
    const secret = this.#ctx.store.problem === undefined ? secretOf(request) : undefined
    const caller = secret === undefined ? undefined : this.#ctx.keyRing.recall(secret)
    return caller !== undefined && mayPass(caller, access) ? caller : undefined
  }
}

/** The key of a request that has nothing special about it. */
function secretOf({ method, headers, url = '' }: IncomingMessage): string | undefined {
  const isPlain =
    method === 'GET' &&
    headers.authorization === undefined &&
    headers.origin === undefined &&
    headers['if-none-match'] === undefined &&
    !url.includes('key=') &&
    !url.includes('%')
  const secret = headers['x-api-key']
  return isPlain && typeof secret === 'string' ? secret : undefined
}
