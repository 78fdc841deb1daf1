import { AuspexError } from './auspex-error.js'
import { backoffMs } from './http.js'
import {
  ReliableSocket,
  type SocketMessage,
  type SocketOptions,
  type SocketUser,
  toSocketError,
} from './reliable-socket.js'
import { Subscription, type SubscriptionHost, type SubscriptionRequest } from './subscription.js'

/** The service may take the same message a little later. */
const PASSING = ['unavailable', 'work_limit', 'rate_limited', 'service_warming_up', 'service_capacity']

export const BOOK_MESSAGES = ['snapshot_batch', 'snapshots_done', 'batch', 'stale', 'not_followed']

/** One connection to the event socket, for all subscriptions of a client. It is open while there are any. */
export class EventSocket implements SubscriptionHost, SocketUser {
  readonly #options: SocketOptions
  readonly #subscriptions = new Set<Subscription>()
  #socket: ReliableSocket | undefined
  #isOpen = false
  /** Those that the service acknowledged on this connection, by their number. */
  readonly #active = new Map<number, Subscription>()
  /** What was sent and is not answered yet, oldest first: answers come in this order. `undefined`: an unsubscribe. */
  #unanswered: (Subscription | undefined)[] = []

  constructor(options: SocketOptions) {
    this.#options = options
  }

  add(request: SubscriptionRequest): Subscription {
    const subscription = new Subscription(this, request)
    if (subscription.isOfBooks && this.#books !== undefined) {
      throw new AuspexError('A client follows the messages of one list of books at a time.')
    }
    this.#subscriptions.add(subscription)
    this.#socket ??= new ReliableSocket(this.#options, this)
    this.subscribe(subscription)
    return subscription
  }

  subscribe(subscription: Subscription): void {
    subscription.state = 'waiting'
    if (!this.#isOpen) return
    subscription.state = 'subscribing'
    this.#unanswered.push(subscription)
    this.#socket?.send(subscription.message)
  }

  unsubscribe(subscription: Subscription): void {
    if (subscription.state === 'active' && this.#isOpen) this.#end(subscription)
  }

  remove(subscription: Subscription): void {
    this.unsubscribe(subscription)
    this.#subscriptions.delete(subscription)
    if (this.#subscriptions.size === 0) this.#close()
  }

  close(): void {
    for (const subscription of this.#subscriptions) subscription.close()
  }

  onOpen(): void {
    this.#isOpen = true
    for (const subscription of this.#subscriptions) {
      if (subscription.state !== 'paused') this.subscribe(subscription)
    }
  }

  onMessage(message: SocketMessage): void {
    const error = toSocketError(message)
    const { subscription, event, events, type = '' } = message as EventMessage
    if (error !== undefined) this.#onRefused(error)
    else if (type === 'subscription_event') this.#active.get(subscription)?.take(event)
    else if (type === 'snapshot') this.#active.get(subscription)?.takeSnapshot(events)
    else if (type === 'subscribed') this.#onAcknowledged(message)
    else if (type === 'unsubscribed') this.#unanswered.shift()
    else if (BOOK_MESSAGES.includes(type)) this.#books?.take(message)
  }

  onLost(error: AuspexError, waitMs: number): void {
    this.#forget()
    for (const subscription of this.#subscriptions) subscription.interrupt(error, waitMs)
  }

  onFailed(error: AuspexError): void {
    this.#forget()
    for (const subscription of this.#subscriptions) subscription.fail(error)
  }

  get #books(): Subscription | undefined {
    return [...this.#subscriptions].find(({ isOfBooks }) => isOfBooks)
  }

  #end(subscription: Subscription): void {
    this.#active.delete(numberOf(subscription))
    this.#unanswered.push(undefined)
    this.#socket?.send({ action: 'unsubscribe', subscription_id: subscription.id })
  }

  #onAcknowledged(message: SocketMessage): void {
    const subscription = this.#unanswered.shift()
    if (subscription === undefined) return
    const isOver = subscription.state === 'over'
    subscription.acknowledge(message as Parameters<Subscription['acknowledge']>[0])
    if (isOver) this.#end(subscription)
    else this.#active.set(numberOf(subscription), subscription)
  }

  #onRefused(error: AuspexError): void {
    const subscription = this.#unanswered.shift()
    if (subscription === undefined || subscription.state === 'over') return
    if (!PASSING.includes(error.code ?? '')) {
      subscription.fail(error)
      return
    }
    const waitMs = (error.retryAfterSeconds ?? 0) * 1_000 || backoffMs(2)
    subscription.interrupt(error, waitMs)
    void this.#options.sleep(waitMs).then(() => {
      if (subscription.state === 'waiting') this.subscribe(subscription)
    })
  }

  #forget(): void {
    this.#isOpen = false
    this.#active.clear()
    this.#unanswered = []
  }

  #close(): void {
    this.#socket?.close()
    this.#socket = undefined
    this.#forget()
  }
}

type EventMessage = {
  type?: string
  subscription: number
  event: SocketMessage
  events: readonly SocketMessage[]
}

/** Events name a subscription by what stands after the colon of its id. */
const numberOf = ({ id = '' }: Subscription): number => Number(id.split(':')[1])
