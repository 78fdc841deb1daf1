import { setTimeout as delay } from 'node:timers/promises'
import { type Request, reasonToDrop } from './event-filter.js'
import { parseEvent, type StrictEvent } from './event-shapes.js'
import { int, isJson, type Json, list, ms, object, optional, problemsOf, text } from './shape.js'
import { type Notify, StrictSocket } from './strict-socket.js'

const ANSWER_MS_MAX = 30_000
const RECONNECT_MS = 1_000
const RECONNECT_MS_MAX = 30_000

export type StrictSubscription = {
  request: Request
  id: string
  ack: Json
  events: StrictEvent[]
  /** Newest `timestamp` of its events. */
  cursor: number | undefined
}

/** A subscribe that has no answer yet. */
type Open = { subscription: StrictSubscription; resolve(): void; reject(error: Error): void }

type Options = {
  /** With the key, without other parameters. */
  url: string
  notify: Notify
  onEvent?: (event: StrictEvent) => void
}

const ACK = object({
  subscriber_id: text,
  subscription_id: text,
  subscription_type: text,
  ...optional({ warnings: list(text) }),
})

/** Names of one subscription type. */
const ALIASES = [
  ['oracle', 'chainlink', 'price_feed'],
  ['redemptions', 'redemption'],
  ['fills', 'dome'],
]

/** A client of the event socket that trusts nothing. Whatever is wrong becomes a notice. */
export class StrictEventClient {
  readonly #options: Options
  readonly #open: Open[] = []
  readonly subscriptions: StrictSubscription[] = []
  /** Events that no subscription wanted after all, with the reason of each. */
  readonly dropped: { event: StrictEvent; reasons: string[] }[] = []
  readonly counts = { events: 0, snapshots: 0, heartbeats: 0, reconnects: 0, binary: 0 }
  #socket: StrictSocket | undefined
  #isClosed = false
  #losses = 0
  #subscriber: unknown
  #liveSeq = 0
  /** Events that came before the acknowledgement of the subscription that wants them. */
  readonly #early: StrictEvent[] = []

  constructor(options: Options) {
    this.#options = options
  }

  async connect(): Promise<void> {
    this.#subscriber = undefined
    this.#liveSeq = 0
    const url = `${this.#options.url}&compress=zlib`
    this.#socket = await StrictSocket.open(url, {
      notify: (notice) => this.#notify(notice),
      onFrame: (frame, isBinary) => {
        if (isBinary) this.counts.binary += 1
        this.#onFrame(frame)
      },
      onLost: (code) => void this.#reconnect(code),
    })
  }

  /** Rejects with the error frame that answers in place of an acknowledgement. */
  async subscribe(request: Request): Promise<StrictSubscription> {
    const subscription = { request, id: '', ack: {}, events: [], cursor: undefined }
    await this.#ask(subscription, request)
    return subscription
  }

  /** As if the network had failed: the client connects again by itself. */
  cut(): void {
    this.#socket?.cut()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#socket?.close()
  }

  #notify(notice: string): void {
    this.#options.notify(notice)
  }

  async #ask(subscription: StrictSubscription, request: Request): Promise<void> {
    const answered = new Promise<void>((resolve, reject) => {
      this.#open.push({ subscription, resolve, reject })
    })
    this.#socket?.send({ action: 'subscribe', ...request })
    const late = new AbortController()
    const timeout = delay(ANSWER_MS_MAX, undefined, { signal: late.signal }).then(
      () => Promise.reject(new Error(`no answer to ${JSON.stringify(request)}`)),
      () => new Promise<never>(() => undefined),
    )
    try {
      await Promise.race([answered, timeout])
    } finally {
      late.abort()
    }
  }

  /** One attempt; when it fails it was the last one. */
  async #reconnect(code: number): Promise<void> {
    const subscriptions = this.subscriptions.splice(0)
    for (const { reject } of this.#open.splice(0)) reject(new Error(`closed with ${code}`))
    const waitMs = Math.min(RECONNECT_MS * 2 ** this.#losses++, RECONNECT_MS_MAX)
    await delay(waitMs * (0.5 + Math.random() / 2))
    if (this.#isClosed) return
    try {
      await this.connect()
      for (const subscription of subscriptions) {
        const { request, cursor } = subscription
        const since = cursor === undefined ? {} : { since: cursor - 1 }
        const filters = { ...request.filters, ...since }
        const isEmpty = Object.keys(filters).length === 0
        await this.#ask(subscription, isEmpty ? request : { ...request, filters })
      }
      this.#losses = 0
      this.counts.reconnects += 1
    } catch (error) {
      this.#notify(`the attempt to reconnect after ${code} failed: ${error}`)
    }
  }

  #onFrame(frame: Json): void {
    const { type } = frame
    if (type === 'subscribed' || type === 'error') this.#onAnswer(frame)
    else if (type === 'snapshot') this.#onSnapshot(frame)
    else if (type === 'unsubscribed') this.#check(frame, object({ subscriber_id: text }))
    else if (type === 'heartbeat') {
      this.counts.heartbeats += 1
      this.#check(frame, object({ ts: ms }))
    } else {
      this.#checkSeq(frame)
      this.#onEvent(frame)
    }
  }

  /** Live events come once for all subscriptions, in the order of their numbers. */
  #checkSeq({ type, seq }: Json): void {
    // Fills are also replayed one by one, and coin prices have numbers of their own.
    if (type === 'event' || type === 'price_feed' || seq === undefined) return
    if (typeof seq !== 'number' || seq <= this.#liveSeq)
      this.#notify(`a ${type} has the number ${seq} behind ${this.#liveSeq}`)
    this.#liveSeq = Number(seq)
  }

  /** The first answer is the oldest subscribe's, whatever it says. */
  #onAnswer(frame: Json): void {
    const open = this.#open.shift()
    if (open === undefined) this.#notify(`unasked for: ${JSON.stringify(frame)}`)
    else if (frame.type === 'error') {
      this.#check(frame, object({ code: text, message: text }))
      open.reject(new Error(`${frame.code}: ${frame.message}`))
    } else this.#onAck(frame, open)
  }

  #onAck(frame: Json, { subscription, resolve }: Open): void {
    this.#check(frame, ACK)
    const { subscriber_id: subscriber, subscription_id: id, subscription_type: type } = frame
    this.#subscriber ??= subscriber
    if (subscriber !== this.#subscriber) this.#notify(`the subscriber id changed to ${subscriber}`)
    if (!String(id).startsWith(`${subscriber}:`)) this.#notify(`${id} is not of ${subscriber}`)
    if (!isSameType(subscription.request.type, type))
      this.#notify(`${type} was acknowledged in place of ${subscription.request.type}`)
    this.subscriptions.push(Object.assign(subscription, { ack: frame, id: String(id) }))
    for (const event of this.#early.splice(0)) this.#deliver(event)
    resolve()
  }

  #onSnapshot(frame: Json): void {
    this.counts.snapshots += 1
    const { events, count } = frame
    const entries = Array.isArray(events) ? events.filter(isJson) : []
    if (count !== entries.length) this.#notify(`a snapshot of ${count} has ${entries.length} events`)
    for (const each of entries) {
      this.#check(each, object({ timestamp: int }))
      this.#onEvent(each)
    }
  }

  #onEvent(frame: Json): void {
    const event = parseEvent(frame)
    if (Array.isArray(event)) {
      for (const problem of event) this.#notify(problem)
      return
    }
    this.counts.events += 1
    this.#options.onEvent?.(event)
    this.#deliver(event)
  }

  #deliver(event: StrictEvent): void {
    const reasons: string[] = []
    for (const subscription of this.subscriptions) {
      const reason = reasonToDrop(event, subscription.request)
      if (reason === undefined) {
        subscription.events.push(event)
        subscription.cursor = Math.max(subscription.cursor ?? 0, event.timestamp)
      } else reasons.push(reason)
    }
    if (reasons.length < this.subscriptions.length) return
    if (this.#open.length > 0) this.#early.push(event)
    else this.dropped.push({ event, reasons })
  }

  #check(frame: Json, shape: ReturnType<typeof object>): void {
    for (const problem of problemsOf(frame, shape, String(frame.type))) this.#notify(problem)
  }
}

const isSameType = (asked: string, answered: unknown) =>
  asked === answered ||
  ALIASES.some((names) => [asked, String(answered)].every((each) => names.includes(each)))
