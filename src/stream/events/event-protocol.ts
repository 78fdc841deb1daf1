import { setImmediate } from 'node:timers/promises'
import type { Bus } from '../../bus/bus.js'
import type { BusEvent } from '../../bus/event.js'
import type { EventLog, Resumption } from '../../events/event-log.js'
import { faultFields, isExpectedFault } from '../../lib/fault-fields.js'
import { showValue } from '../../lib/show-value.js'
import type { LiveScores } from '../../scores/live-scores.js'
import type { BookFeed } from '../books/book-feed.js'
import { BookProtocol } from '../books/book-protocol.js'
import { BOOK_ITEMS_MAX } from '../books/book-request.js'
import { ClientWork, toWorkRefusal } from '../client-work.js'
import { CLOSE, type Connection, type Protocol, Refusal } from '../connection.js'
import type { StreamDeps } from '../deps.js'
import type { EventReceiver, StreamHub } from '../hub.js'
import type { SubscribedMessage } from '../messages.js'
import {
  canBePending,
  countStored,
  type EventFilter,
  isFirehose,
  type MarketScope,
  matchesEvent,
} from '../subscriptions/event-filter.js'
import type { ClientFields } from '../subscriptions/filter-rules.js'
import { resolveMarkets } from '../subscriptions/resolve-markets.js'
import {
  openFilters,
  type PriceSelection,
  parseClientMessage,
  readSubscribe,
  type SubscribeRequest,
} from '../subscriptions/subscribe-request.js'
import type { PreparedFilter } from '../subscriptions/subscription-index.js'
import { Replay } from './replay.js'
import { selectPastPrices, selectPastScores, startOf } from './replay-start.js'

const SUBSCRIPTIONS_MAX = 200
/** Filter values of one connection. */
const ITEMS_MAX = 100_000
/** A message has a few items besides. */
const OTHER_ITEMS_MAX = 1_000
/** Filter values that go into the index before the sockets are read again. */
const INDEXED_MAX = 1_000

type ProtocolDeps = Pick<
  StreamDeps,
  'shares' | 'reads' | 'bus' | 'priceBus' | 'scoreBus' | 'books' | 'catalogue' | 'clock' | 'log' | 'floodLog'
> & {
  eventLog: Pick<EventLog, 'load' | 'check' | 'read'>
  scores: Pick<LiveScores, 'liveEvents' | 'eventsOfGames'>
}

type EventProtocolOptions = {
  /** Subscriptions do not share events: each has its own, and those of coin prices do not replace each other. */
  isBySubscription: boolean
}

type Subscription = {
  id: string
  receiver: EventReceiver
  type: string
  /** An event that one of them matches is received. */
  filters: readonly EventFilter[]
  items: number
  isFirehose: boolean
  prices: PriceSelection | undefined
  scores: EventFilter | undefined
  replay: Replay | undefined
  /** It has received everything after this number that it wants; `undefined`: its replay goes on. */
  armedSeq: number | undefined
  /** Its filters in the index. */
  prepared: readonly PreparedFilter[]
  /** Takes its selection of coin prices out of the index. */
  removePrices: (() => void) | undefined
}

/** What a client of the event socket says, and what it is answered. */
export class EventProtocol implements Protocol {
  readonly #deps: ProtocolDeps
  readonly #connection: Connection
  readonly #hub: StreamHub
  readonly #feed: BookFeed | undefined
  readonly #isBySubscription: boolean
  readonly #work: ClientWork
  /** Made when the client asks for books. */
  #books: BookProtocol | undefined
  readonly #subscriptions = new Map<string, Subscription>()
  #count = 0
  #items = 0
  /** Takes the connection's one selection of coin prices out of the index. */
  #removePrices: (() => void) | undefined
  /** Long replays go out one after the other, while further messages are answered. */
  #replays: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(
    deps: ProtocolDeps,
    connection: Connection,
    hub: StreamHub,
    /** `undefined`: the socket has no books. */
    feed: BookFeed | undefined,
    { isBySubscription }: EventProtocolOptions,
  ) {
    this.#deps = deps
    this.#connection = connection
    this.#hub = hub
    this.#feed = feed
    this.#isBySubscription = isBySubscription
    this.#work = new ClientWork(deps, connection.caller)
  }

  get itemsMax(): number {
    const { filterItemsMax } = this.#connection.caller.plan
    return Math.max(BOOK_ITEMS_MAX, (filterItemsMax ?? ITEMS_MAX) + OTHER_ITEMS_MAX)
  }

  async onMessage(text: string): Promise<void> {
    try {
      await this.#answer(text)
    } catch (error) {
      this.#refuse(error)
    }
  }

  onClose(): void {
    this.#isClosed = true
    for (const subscription of [...this.#subscriptions.values()]) this.#remove(subscription)
    this.#books?.onClose()
  }

  async #answer(text: string): Promise<void> {
    const message = parseClientMessage(text)
    switch (message.action) {
      case 'subscribe':
        return await this.#subscribe(message.fields)
      case 'unsubscribe':
        return this.#unsubscribe(message.subscriptionId)
      case 'ping':
        return this.#connection.send({ type: 'pong', ts: this.#deps.clock.now() })
      case 'books':
        return await this.#openBooks().handle(message.fields)
    }
  }

  /** Books on this socket: one set, with an id among those of the subscriptions. */
  #openBooks(): BookProtocol {
    if (this.#feed === undefined) throw new Refusal('invalid_message', 'there are no books on this socket')
    this.#books ??= new BookProtocol(this.#deps, this.#connection, this.#feed, {
      integrity: false,
      nextSubscriptionId: () => this.#nextId(),
      releaseFirehose: () => this.#releaseFirehose(),
    })
    return this.#books
  }

  #nextId(): string {
    return `${this.#connection.id}:${++this.#count}`
  }

  #refuse(error: unknown): void {
    const refusal = error instanceof Refusal ? error : toWorkRefusal(error)
    if (refusal !== undefined) {
      const { code, message, fields } = refusal
      this.#connection.send({ type: 'error', code, message, ...fields })
      return
    }
    const level = isExpectedFault(error) ? 'warn' : 'error'
    this.#deps.floodLog.write(level, 'client message failed', () => faultFields(error))
    const message = 'the service could not do this now; try again later'
    this.#connection.send({ type: 'error', code: 'unavailable', message })
  }

  async #subscribe(message: ClientFields): Promise<void> {
    if (this.#subscriptions.size >= SUBSCRIPTIONS_MAX) {
      const text = `a connection has at most ${SUBSCRIPTIONS_MAX} subscriptions`
      throw new Refusal('subscription_limit', text, { max: SUBSCRIPTIONS_MAX })
    }
    const fields = openFilters(message, this.#connection.caller.plan.filterItemsMax)
    const { itemCount } = fields
    this.#checkItems(itemCount)
    await this.#work.begin('filterItems', itemCount)
    await fields.readLists(() => setImmediate())
    const request = readSubscribe(message, fields)
    await this.#deps.eventLog.load()
    const { scopes, warnings } = await this.#resolve(request)
    const filters = filtersOf(request, scopes)
    const resume = await this.#checkResumption(request, filters)
    const subscription = await this.#admit(request, filters)
    if (subscription === undefined) return
    const replay = this.#createReplay(subscription, request, resume)
    await this.#prepare(subscription, itemCount)
    await replay.search()
    // Nothing is awaited from here to the end of a short replay: no event comes between.
    if (this.#isClosed) return
    this.#connection.send({
      type: 'subscribed',
      subscriber_id: this.#connection.id,
      subscription_id: subscription.id,
      subscription_type: subscription.type,
      warnings: [...request.warnings, ...warnings],
      ...this.#presentStartSeq(subscription),
      ...(resume !== undefined && { resume }),
      ...(request.prices !== undefined && presentPrices(request.prices)),
    } satisfies SubscribedMessage)
    subscription.replay = replay
    if (replay.begin()) this.#replays = this.#replays.then(() => replay.run())
  }

  /** The number that the subscription begins after, in the numbering that `since_seq` is in. */
  #presentStartSeq({ filters, prices, scores }: Subscription) {
    const { bus, priceBus, scoreBus } = this.#deps
    const present = (of: 'chain' | 'prices' | 'scores', { publishedSeq }: Bus) => ({
      resume_seq: publishedSeq,
      resume_seq_of: of,
    })
    if (filters.length > 0) return present('chain', bus)
    return scores === undefined && prices !== undefined
      ? present('prices', priceBus)
      : present('scores', scoreBus)
  }

  async #resolve(request: SubscribeRequest) {
    const names = (request.slugs?.size ?? 0) + (request.conditionIds?.size ?? 0)
    if (names > 0) await this.#work.begin('identifiers', names)
    return await resolveMarkets(this.#work.sql, request)
  }

  /** Throws a `Refusal` when the connection, its account or the process has no room for these filter items. */
  #checkItems(count: number): void {
    const requested = this.#items + count
    if (requested > ITEMS_MAX) {
      const message = `a connection has at most ${ITEMS_MAX} filter items, not ${requested}`
      throw new Refusal('filter_limit', message, { max: ITEMS_MAX, requested })
    }
    if (!this.#hub.hasRoom(this.#connection.caller.accountId, count)) throw refuseItems()
  }

  async #checkResumption(
    { replay, prices, scores }: SubscribeRequest,
    filters: readonly EventFilter[],
  ): Promise<Resumption | undefined> {
    if (replay.kind !== 'seq') return undefined
    const { afterSeq } = replay
    if (filters.length === 0 && (prices !== undefined || scores !== undefined)) {
      const { priceBus, scoreBus } = this.#deps
      const { oldestSeq = Infinity, lastSeq } = scores === undefined ? priceBus : scoreBus
      return afterSeq >= oldestSeq && afterSeq <= lastSeq ? 'exact' : 'gap'
    }
    const resume = await this.#deps.eventLog.check(afterSeq)
    return resume === 'confirmed' && !filters.some(canBePending) ? 'exact' : resume
  }

  /** Counts the subscription against the limits; `undefined`: the connection has ended. */
  async #admit(
    { type, prices, scores }: SubscribeRequest,
    filters: readonly EventFilter[],
  ): Promise<Subscription | undefined> {
    const stored = scores === undefined ? filters : [...filters, scores]
    const items = stored.reduce((sum, filter) => sum + countStored(filter), 0)
    this.#checkItems(items)
    const isUnfiltered = filters.some(isFirehose)
    if (isUnfiltered && !(await this.#connection.takeFirehose())) {
      const message = 'the plan allows no further connection without filters'
      throw new Refusal('firehose_limit', message)
    }
    if (this.#isClosed) return undefined
    if (!this.#hub.takeItems(this.#connection.caller.accountId, items)) {
      if (isUnfiltered) this.#releaseFirehose()
      throw refuseItems()
    }
    this.#items += items
    const id = this.#nextId()
    const receiver = this.#receiverOf(this.#count)
    const subscription: Subscription = {
      id,
      receiver,
      type,
      filters,
      items,
      isFirehose: isUnfiltered,
      prices,
      scores,
      replay: undefined,
      armedSeq: undefined,
      prepared: stored.map((filter) => this.#hub.subscriptions.prepare(receiver, filter)),
      removePrices: undefined,
    }
    this.#subscriptions.set(subscription.id, subscription)
    return subscription
  }

  #receiverOf(subscription: number): EventReceiver {
    if (!this.#isBySubscription) return this.#connection
    return { subscription, push: (frame) => this.#connection.push(frame) }
  }

  /** Puts the filters into the index, where they have no effect before they are armed. */
  async #prepare({ prepared, items }: Subscription, requestedItems: number): Promise<void> {
    // Slugs and conditions may stand for more than they are.
    if (items > requestedItems) await this.#work.goOn('filterItems', items - requestedItems)
    for (const filter of prepared) while (!filter.post(INDEXED_MAX)) await setImmediate()
  }

  #createReplay(
    subscription: Subscription,
    { replay: requested, isFlat }: SubscribeRequest,
    resume: Resumption | undefined,
  ): Replay {
    const { bus, priceBus, eventLog, clock } = this.#deps
    const { filters, prices, scores, receiver } = subscription
    const { plan } = this.#connection.caller
    const hasEvents = filters.length > 0
    const query = { requested, plan, nowMs: clock.now(), hasEvents, prices, scores, resume }
    return new Replay({
      work: this.#work,
      bus,
      eventLog,
      resumptions: this.#hub.resumptions,
      connection: this.#connection,
      isFlat,
      subscription: receiver.subscription,
      start: startOf(query, bus.lastSeq),
      isWanted: (event) => isWantedBy(filters, event),
      wasDelivered: (event) => this.#wasDelivered(event),
      pastOthers: () => [...selectPastPrices(query, priceBus), ...selectPastScores(query, this.#deps)],
      arm: () => this.#arm(subscription),
      onFailed: (error) => this.#fail(error),
    })
  }

  #wasDelivered(event: BusEvent): boolean {
    if (this.#isBySubscription) return false
    for (const { armedSeq, filters } of this.#subscriptions.values()) {
      if (armedSeq !== undefined && event.seq > armedSeq && isWantedBy(filters, event)) return true
    }
    return false
  }

  #arm(subscription: Subscription): void {
    const { prepared, prices, receiver } = subscription
    subscription.replay = undefined
    subscription.armedSeq = this.#deps.bus.publishedSeq
    for (const filter of prepared) filter.arm()
    if (prices === undefined) return
    if (!this.#isBySubscription) this.#removePrices?.()
    this.#removePrices = this.#hub.subscriptions.add(receiver, prices)
    subscription.removePrices = this.#removePrices
  }

  #fail(error: unknown): void {
    this.#deps.floodLog.write('warn', 'replay failed', () => faultFields(error))
    this.#connection.close(CLOSE.tooSlow, 'the replay could not be finished; try again')
  }

  #unsubscribe(id: string | undefined): void {
    const subscriber_id = this.#connection.id
    if (id === undefined) {
      for (const subscription of [...this.#subscriptions.values()]) this.#remove(subscription)
      this.#books?.end()
      this.#connection.send({ type: 'unsubscribed', subscriber_id })
      return
    }
    const subscription = this.#subscriptions.get(id)
    if (subscription !== undefined) this.#remove(subscription)
    else if (this.#books?.subscriptionId === id) this.#books.end()
    else {
      const message = `the connection has no subscription ${showValue(id)}`
      throw new Refusal('unknown_subscription', message)
    }
    this.#connection.send({ type: 'unsubscribed', subscriber_id, subscription_id: id })
  }

  #remove(subscription: Subscription): void {
    const { id, items, replay, prepared, removePrices } = subscription
    replay?.stop()
    for (const filter of prepared) filter.remove()
    removePrices?.()
    this.#subscriptions.delete(id)
    this.#hub.releaseItems(this.#connection.caller.accountId, items)
    this.#items -= items
    if (subscription.isFirehose) this.#releaseFirehose()
  }

  #releaseFirehose(): void {
    const others = [...this.#subscriptions.values()]
    const isNeeded = others.some(({ isFirehose }) => isFirehose) || this.#books?.isFirehose
    if (!isNeeded) this.#connection.releaseFirehose()
  }
}

const refuseItems = (): Refusal =>
  new Refusal('filter_limit', 'the account or the service has as many filter items as it can have')

/** What the index and the replay compare; none: the subscription is of coin prices or scores alone. */
function filtersOf(
  { filter, unfilteredTypes }: SubscribeRequest,
  scopes: readonly MarketScope[],
): EventFilter[] {
  const filtered: EventFilter = { ...filter, scopes }
  const unfiltered: EventFilter = { types: unfilteredTypes, status: filter.status, scopes: [] }
  return [filtered, unfiltered].filter(({ types }) => types.size > 0)
}

const isWantedBy = (filters: readonly EventFilter[], event: BusEvent): boolean =>
  filters.some((filter) => matchesEvent(filter, event))

function presentPrices({ priceKinds, isDefault }: PriceSelection) {
  const windows = [30, 60].filter((seconds) => priceKinds.has(seconds === 30 ? 'twap30' : 'twap60'))
  const [only = 'spot'] = priceKinds
  return {
    price_source: isDefault ? 'follow_main' : priceKinds.size > 1 ? 'both' : only,
    twap_windows: windows.length === 0 ? null : windows,
  }
}
