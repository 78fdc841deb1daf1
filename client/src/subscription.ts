import { AsyncQueue } from './async-queue.js'
import type { AuspexError } from './auspex-error.js'
import { LiveStream } from './live-stream.js'
import type { SocketMessage } from './reliable-socket.js'
import type { StatusDetails, StreamGap } from './stream-types.js'

/** Events that wait for a reader. */
export const WAITING_MAX = 10_000

/** What events are numbered together. `since_seq` of a subscription is in one of these numberings. */
type Numbering = 'chain' | 'prices' | 'scores'

type Acknowledgement = NonNullable<StatusDetails['acknowledgement']>
type Answer = {
  subscription_id: string
  resume?: 'exact' | 'confirmed' | 'gap'
  resume_seq?: number
  resume_seq_of?: Numbering
}

/** The fields of a subscribe message. `past`: what it asks for at first, and not after a lost connection. */
export type SubscriptionRequest = {
  type?: string | undefined
  markets?: readonly string[]
  filters?: object | undefined
  past?: { since?: number | undefined; since_seq?: number | undefined; snapshot_count?: number | undefined }
}

/** What a subscription needs of the socket that it is on. */
export type SubscriptionHost = {
  subscribe(subscription: Subscription): void
  /** The service sends no more of it; it may subscribe again. */
  unsubscribe(subscription: Subscription): void
  /** It is over. */
  remove(subscription: Subscription): void
}

/**
 * One subscription over all connections, and the events of it that wait for the reader.
 *
 * waiting -> subscribing: a `subscribe` was sent. subscribing -> active: it was acknowledged.
 * subscribing, active -> waiting: the connection was lost. active -> paused: too many events wait, and it was ended
 * at the service. paused -> subscribing: the reader has taken them. Any -> over: `close`, or a refusal that stays.
 */
export class Subscription extends LiveStream<SocketMessage | StreamGap> {
  state: 'waiting' | 'subscribing' | 'active' | 'paused' | 'over' = 'waiting'
  /** At the service, while it is active. */
  id: string | undefined
  readonly isOfBooks: boolean
  readonly #host: SubscriptionHost
  readonly #request: SubscriptionRequest
  readonly #queue = new AsyncQueue<SocketMessage | StreamGap>()
  /** The last number of each numbering that the reader gets. */
  #seqs: { [Each in Numbering]?: number } = {}
  #numbering: Numbering = 'chain'
  /** What the service was at when it acknowledged the subscription. */
  #acknowledgedSeq: number | undefined
  /** The same, once it is sure that nothing of the past is to come. */
  #startSeq: number | undefined

  constructor(host: SubscriptionHost, request: SubscriptionRequest) {
    super()
    this.#host = host
    this.#request = request
    this.isOfBooks = request.type === 'orderbook'
  }

  /** The subscribe message for the connection that is open now. */
  get message(): object {
    const { past, filters, ...fields } = this.#request
    const seq = this.#resumeSeq
    const all = { ...filters, ...(seq === undefined ? past : { since_seq: seq }) }
    return { action: 'subscribe', ...fields, ...(!this.isOfBooks && { filters: all }) }
  }

  next(): Promise<IteratorResult<SocketMessage | StreamGap, undefined>> {
    const item = this.#queue.next()
    if (this.state === 'paused' && this.#queue.size === 0) this.#host.subscribe(this)
    return item
  }

  close(): void {
    this.#queue.clear()
    this.#finish()
  }

  acknowledge(acknowledgement: Acknowledgement): void {
    const {
      subscription_id: id,
      resume,
      resume_seq: seq,
      resume_seq_of: numbering,
    } = acknowledgement as Answer
    const afterSeq = this.#resumeSeq
    // Books are sent whole, without what happened meanwhile.
    const isGap = resume === 'gap' || (this.isOfBooks && this.id !== undefined)
    if (isGap || resume === 'confirmed') {
      this.#queue.push({ type: 'gap', missing: isGap ? 'events' : 'pending', afterSeq })
    }
    this.id = id
    if (this.state === 'over') return
    this.state = 'active'
    this.#numbering = numbering ?? 'chain'
    this.#acknowledgedSeq = seq
    if (this.#request.past?.snapshot_count === 0) this.#startSeq ??= seq
    if (isGap) this.#startSeq = seq
    // The service has another database: its numbers begin again.
    if (isGap && seq !== undefined && seq < (afterSeq ?? 0)) this.#seqs = {}
    this.setStatus('open', { acknowledgement, afterSeq })
  }

  /** Events of the past: all of them, or a part. */
  takeSnapshot(events: readonly SocketMessage[]): void {
    if (events.length === 0) this.#startSeq ??= this.#acknowledgedSeq
    for (const event of events) this.take(event)
  }

  take(event: SocketMessage): void {
    if (this.state !== 'active') return
    const { seq } = event
    if (typeof seq === 'number') {
      const numbering = numberingOf(event)
      if (seq <= (this.#seqs[numbering] ?? 0)) return
      this.#seqs[numbering] = seq
    }
    this.#queue.push(event)
    if (this.#queue.size < WAITING_MAX) return
    this.#host.unsubscribe(this)
    this.state = 'paused'
  }

  /** The connection was lost, or could not take the subscription now. */
  interrupt(error: AuspexError, retryInMs: number): void {
    if (this.state === 'over') return
    if (this.state !== 'paused') this.state = 'waiting'
    this.setStatus('reconnecting', { error, retryInMs })
  }

  fail(error: AuspexError): void {
    this.#finish({ error })
  }

  /** The number to go on after; `undefined`: the stream has to begin again. */
  get #resumeSeq(): number | undefined {
    return this.#seqs[this.#numbering] ?? this.#startSeq
  }

  #finish(failure?: { error: unknown }): void {
    if (this.state === 'over') return
    this.#host.remove(this)
    this.state = 'over'
    this.#queue.end(failure)
  }
}

function numberingOf({ type }: SocketMessage): Numbering {
  if (type === 'price_feed') return 'prices'
  return type === 'score_update' ? 'scores' : 'chain'
}
