import { AsyncQueue } from './async-queue.js'
import { AuspexError } from './auspex-error.js'
import { BOOK_MESSAGES } from './event-socket.js'
import { LiveStream } from './live-stream.js'
import {
  ReliableSocket,
  type SocketMessage,
  type SocketOptions,
  type SocketUser,
  toSocketError,
} from './reliable-socket.js'
import type {
  BookMessage,
  BookMessagesOptions,
  EventStream,
  ReplayEnd,
  ReplayOptions,
  ReplayState,
  ReplayTime,
  StatusDetails,
  StreamEvent,
  StreamGap,
  SubscribeOptions,
} from './stream-types.js'

/** Unread events of a stream at which the replay is held, and at which it goes on. What is on the way comes besides. */
const HELD_AT = 5_000
const GOES_ON_AT = 500

type Action = 'pause' | 'resume' | 'seek'

/**
 * One replay, on a connection of its own.
 *
 * waiting -> playing: all requested streams are acknowledged. playing <-> held: by `pause` and `resume`, or because a
 * stream is not read. Any -> over: everything was sent, `close`, or an error, which the readers of the streams are thrown.
 */
export class Replay implements SocketUser {
  /** Resolves with the counts when everything was sent; `undefined`: the replay ended before. */
  readonly ended: Promise<ReplayEnd | undefined>
  readonly #options: SocketOptions
  readonly #onOver: () => void
  readonly #streams = new Set<ReplayStream>()
  /** Those that the service acknowledged, by their number. */
  readonly #active = new Map<number, ReplayStream>()
  /** What was sent and is not answered yet, oldest first: answers come in this order. */
  readonly #unanswered: (ReplayStream | Action)[] = []
  readonly #stateListeners = new Set<(state: ReplayState) => void>()
  #socket: ReliableSocket | undefined
  #isOpen = false
  #hasBegun = false
  /** The caller wants it to stand still. */
  #isPaused = false
  /** Whether the last action that this client sent was `pause`; a replay begins paused. */
  #isHeld = true
  #isOver = false
  #finish: (end: ReplayEnd | undefined) => void = () => undefined

  constructor(options: SocketOptions, { from, to, speed = 1 }: ReplayOptions, onOver: () => void) {
    const url = new URL(options.url)
    const parameters = { from: toText(from), to: toText(to), speed: String(speed), paused: '1' }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    this.#options = { ...options, url: url.href }
    this.#onOver = onOver
    this.ended = new Promise((resolve) => {
      this.#finish = resolve
    })
  }

  /** Events of the past as `subscribe` of the client gives those of now: none before `from`, and books from it on. */
  subscribe(options: BookMessagesOptions): EventStream<BookMessage | StreamGap>
  subscribe(options?: SubscribeOptions): EventStream<StreamEvent | StreamGap>
  subscribe(
    options: SubscribeOptions | BookMessagesOptions,
  ): EventStream<StreamEvent | BookMessage | StreamGap>
  subscribe(options: SubscribeOptions | BookMessagesOptions = {}): EventStream<never> {
    if (this.#isOver) throw new AuspexError('The replay is over.')
    const isOfBooks = 'markets' in options
    if (isOfBooks && this.#books !== undefined) {
      throw new AuspexError('A replay follows the messages of one list of books at a time.')
    }
    const message = isOfBooks
      ? { action: 'subscribe', ...options }
      : { action: 'subscribe', type: options.type, filters: { ...options.filters, snapshot_count: 0 } }
    const stream = new ReplayStream(message, isOfBooks, {
      onRead: () => this.#update(),
      onClosed: () => this.#remove(stream),
    })
    this.#streams.add(stream)
    this.#socket ??= new ReliableSocket(this.#options, this)
    if (this.#isOpen) this.#send(stream.message, stream)
    return stream as unknown as EventStream<never>
  }

  /** The time of the replay stands still. What is on the way is still read. */
  pause(): void {
    this.#isPaused = true
    this.#update()
  }

  resume(): void {
    this.#isPaused = false
    this.#update()
  }

  /** Goes on at another time of the range. Events of before that were not read are dropped. */
  seek(to: ReplayTime): void {
    if (!this.#hasBegun) throw new AuspexError('The replay has not begun: read a stream first.')
    for (const stream of this.#streams) stream.clear()
    this.#send({ action: 'seek', to: to instanceof Date ? to.getTime() : to }, 'seek')
  }

  /** Calls the listener with the state of the replay when it begins, and with each change. */
  onState(listener: (state: ReplayState) => void): () => void {
    this.#stateListeners.add(listener)
    return () => this.#stateListeners.delete(listener)
  }

  close(): void {
    this.#end()
  }

  onOpen(): void {
    this.#isOpen = true
    for (const stream of this.#streams) this.#send(stream.message, stream)
  }

  onMessage(message: SocketMessage): void {
    const { type, subscription, event } = message as EventMessage
    const error = toSocketError(message)
    if (error !== undefined) this.#onRefused(error)
    else if (type === 'subscription_event') this.#take(subscription, event)
    else if (type === 'subscribed') this.#onAcknowledged(message)
    else if (type === 'replay_state') this.#onState(message as ReplayState)
    else if (type === 'replay_end') this.#end(message as ReplayEnd)
    else if (BOOK_MESSAGES.includes(type ?? '')) this.#takeBooks(message)
  }

  get #books(): ReplayStream | undefined {
    return [...this.#streams].find(({ isOfBooks }) => isOfBooks)
  }

  /** A replay is not begun again by itself: what was read of it would come twice. */
  onLost(error: AuspexError): void {
    this.#end(undefined, error)
  }

  onFailed(error: AuspexError): void {
    this.#end(undefined, error)
  }

  #take(number: number, event: SocketMessage): void {
    if (this.#unanswered.includes('seek')) return
    this.#active.get(number)?.take(event)
    this.#update()
  }

  #takeBooks(message: SocketMessage): void {
    if (this.#unanswered.includes('seek')) return
    this.#books?.take(message)
    this.#update()
  }

  #onAcknowledged(message: SocketMessage): void {
    const stream = this.#unanswered.shift()
    if (!(stream instanceof ReplayStream)) return
    this.#active.set(numberOf(message), stream)
    stream.setStatus('open', { acknowledgement: message as StatusDetails['acknowledgement'] & object })
    this.#update()
  }

  #onState(state: ReplayState): void {
    // The first one says that the replay has begun; the others are answers.
    if (this.#hasBegun) this.#unanswered.shift()
    this.#hasBegun = true
    for (const listener of this.#stateListeners) listener(state)
    this.#update()
  }

  #onRefused(error: AuspexError): void {
    const refused = this.#unanswered.shift()
    if (refused instanceof ReplayStream) refused.fail(error)
    else if (refused !== undefined) this.#end(undefined, error)
  }

  /** Holds the replay while a stream is not read, and lets it go on. */
  #update(): void {
    if (
      !this.#hasBegun ||
      this.#isOver ||
      this.#unanswered.some((request) => request instanceof ReplayStream)
    )
      return
    const limit = this.#isHeld ? GOES_ON_AT : HELD_AT
    const isHeld = this.#isPaused || [...this.#streams].some(({ unread }) => unread > limit)
    if (isHeld === this.#isHeld) return
    this.#isHeld = isHeld
    const action = isHeld ? 'pause' : 'resume'
    this.#send({ action }, action)
  }

  #send(message: object, request: ReplayStream | Action): void {
    this.#unanswered.push(request)
    this.#socket?.send(message)
  }

  #remove(stream: ReplayStream): void {
    this.#streams.delete(stream)
    if (this.#streams.size === 0) this.#end()
    else this.#update()
  }

  #end(end?: ReplayEnd, error?: AuspexError): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#isOpen = false
    this.#socket?.close()
    for (const stream of [...this.#streams]) stream.fail(error)
    this.#finish(end)
    this.#onOver()
  }
}

type EventMessage = { type?: string; subscription: number; event: SocketMessage }

const toText = (time: ReplayTime): string => String(time instanceof Date ? time.getTime() : time)

/** Events name a subscription by what stands after the colon of its id. */
const numberOf = ({ subscription_id: id }: SocketMessage): number => Number(String(id).split(':')[1])

type StreamOwner = { onRead(): void; onClosed(): void }

/** One subscription of a replay, and the events of it that wait for the reader. */
class ReplayStream extends LiveStream<SocketMessage> {
  readonly message: object
  readonly isOfBooks: boolean
  readonly #owner: StreamOwner
  readonly #queue = new AsyncQueue<SocketMessage>()
  #isClosed = false

  constructor(message: object, isOfBooks: boolean, owner: StreamOwner) {
    super()
    this.message = message
    this.isOfBooks = isOfBooks
    this.#owner = owner
  }

  get unread(): number {
    return this.#isClosed ? 0 : this.#queue.size
  }

  next(): Promise<IteratorResult<SocketMessage, undefined>> {
    const item = this.#queue.next()
    this.#owner.onRead()
    return item
  }

  take(event: SocketMessage): void {
    if (!this.#isClosed) this.#queue.push(event)
  }

  clear(): void {
    this.#queue.clear()
  }

  /** The reader gets what waits, and then the error; without one it is done. */
  fail(error: AuspexError | undefined): void {
    this.#queue.end(error && { error })
    this.#close()
  }

  close(): void {
    this.#queue.clear()
    this.#queue.end()
    this.#close()
  }

  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#owner.onClosed()
  }
}
