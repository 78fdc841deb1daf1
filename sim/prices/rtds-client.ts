import type { Peer } from '../server/handlers.js'

export type RtdsMessage = {
  topic: string
  type: string
  timestamp: number
  payload: object
  /** The filters that let it pass; without a filter everything passes. */
  filters: readonly string[]
}

/** A topic has one filter: the last that was sent. An empty set lets everything pass. */
type Subscription = { types: Set<string>; filters: ReadonlySet<string> }

/** One connection and what it wants to hear. */
export class RtdsClient {
  readonly peer: Peer
  readonly connectionId: string
  readonly #subscriptions = new Map<string, Subscription>()
  #pingedMs: number
  #refused = 0

  constructor(peer: Peer, connectionId: string, nowMs: number) {
    this.peer = peer
    this.connectionId = connectionId
    this.#pingedMs = nowMs
  }

  ping(nowMs: number): void {
    this.#pingedMs = nowMs
  }

  refuse(): void {
    this.#refused += 1
    this.peer.send({
      message: 'Invalid request body',
      connectionId: this.connectionId,
      requestId: `${this.connectionId}-${this.#refused}`,
    })
  }

  subscribe(topic: string, type: string, filters: string): void {
    const types = this.#subscriptions.get(topic)?.types ?? new Set()
    types.add(type)
    this.#subscriptions.set(topic, { types, filters: readFilters(topic, filters) })
  }

  unsubscribe(topic: string, type: string): void {
    const types = this.#subscriptions.get(topic)?.types
    types?.delete(type)
    if (type === '*' || types?.size === 0) this.#subscriptions.delete(topic)
  }

  /** Clients whose last ping is older than `pingedMsMin` hear nothing. */
  wants({ topic, type, filters }: RtdsMessage, pingedMsMin: number): boolean {
    if (this.#pingedMs < pingedMsMin) return false
    const subscription = this.#subscriptions.get(topic)
    if (subscription === undefined) return false
    if (!subscription.types.has(type) && !subscription.types.has('*')) return false
    const wanted = subscription.filters
    return wanted.size === 0 || filters.some((filter) => wanted.has(filter))
  }
}

/** Only the exchange's prices take a list; all other filters are one JSON text, compared as it stands. */
function readFilters(topic: string, filters: string): ReadonlySet<string> {
  if (filters === '') return new Set()
  return new Set(topic === 'crypto_prices' ? filters.split(',') : [filters])
}
