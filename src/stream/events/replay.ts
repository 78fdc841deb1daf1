import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import type { Bus } from '../../bus/bus.js'
import type { BusEvent } from '../../bus/event.js'
import type { EventLog } from '../../events/event-log.js'
import { meterOf } from '../../events/registry.js'
import type { FairSemaphore } from '../../lib/fair-semaphore.js'
import type { ClientWork } from '../client-work.js'
import type { Connection } from '../connection.js'
import type { TransferMeter } from '../fast/shared-frame.js'
import { writeSubscriptionEvent } from '../hub.js'

/**
 * Resumptions of one account that read the log of events at the same time; the others wait. Reading a day of it
 * keeps the database busy for minutes.
 */
const RESUMPTIONS_MAX = 2

/** Events that are compared before other work of the process goes on. */
const SCANNED_MAX = 20_000
/** This many of the newest are searched for the last few that match. */
const SEARCHED_MAX = 200_000
/** Characters that are sent before the replay waits for the client to take them. */
const SENT_LENGTH_MAX = 2 * 1024 * 1024
const AHEAD_POLL_MS = 20

/** The past that a client gets. `empty`: that there is none. `seq` is read from the log where memory does not reach back so far. */
export type ReplayStart =
  | { kind: 'none' }
  | { kind: 'empty' }
  | { kind: 'count'; count: number }
  | { kind: 'since'; sinceMs: number }
  | { kind: 'seq'; afterSeq: number }

export type ReplayOptions = {
  work: Pick<ClientWork, 'goOn' | 'charge' | 'sql'>
  bus: Bus
  eventLog: Pick<EventLog, 'read'>
  resumptions: FairSemaphore
  connection: Connection
  start: ReplayStart
  isFlat: boolean
  /** Its number, where the connection wants to know which subscription an event is for. */
  subscription: number | undefined
  isWanted: (event: BusEvent) => boolean
  /** The connection has received it live, by another subscription. */
  wasDelivered: (event: BusEvent) => boolean
  /** Coin prices and scores of the past, oldest first. Called right before `arm`. */
  pastOthers: () => BusEvent[]
  /** From now on the connection receives what is published. */
  arm: () => void
  /** The client is too slow, or the log cannot be read. */
  onFailed: (error: unknown) => void
}

/**
 * Sends the past of one subscription and then arms it, without a gap and without an event twice. It
 * goes through the events in the order of their numbers, and keeps the number up to which it has gone:
 *
 *   log      pages of the database, from the number that the client has seen to the newest stored one
 *   memory   what the bus has after that, in steps. Between steps it waits until the client has taken
 *            what was sent, so live events never wait for more than a step of the past.
 *   ahead    the client has seen numbers that are not here yet: pending events of another process,
 *            which this one reads when they are stored. They must not be sent again.
 *   armed    the last step finds the end of the buffer, and arms before anything else can be published
 */
export class Replay {
  readonly #options: ReplayOptions
  readonly #frames: ReplayFrames
  /** Events that were published after the start are live: they are sent whatever their time is. */
  #startSeq: number
  /** What `search` has found, oldest first, and the number up to which it has searched. */
  #found: readonly BusEvent[] = []
  #searchedSeq = 0
  #cursor: number
  /** The event that has to come next; another one: the buffer has lost some meanwhile. */
  #nextSeq: number | undefined
  #needsLog = false
  #sentLength = 0
  /** Of these the account has not paid for. */
  #scannedEvents = 0
  #isStopped = false

  constructor(options: ReplayOptions) {
    const { start, connection, isFlat, subscription, bus } = options
    this.#options = options
    this.#frames = new ReplayFrames(connection, { isFlat, subscription })
    this.#startSeq = bus.publishedSeq
    this.#cursor = start.kind === 'seq' ? start.afterSeq : 0
  }

  /** Looks for the last few that match, in steps, so that `begin` has to look at those alone that come meanwhile. */
  async search(): Promise<void> {
    const { start, bus, isWanted } = this.#options
    if (start.kind !== 'count') return
    this.#searchedSeq = bus.publishedSeq
    const found: BusEvent[] = []
    let page = bus.pageBefore(Number.POSITIVE_INFINITY, SCANNED_MAX)
    for (let searched = 0; searched < SEARCHED_MAX; ) {
      for (const event of page.toReversed()) {
        if (found.length === start.count) break
        this.#scannedEvents += 1
        if (isWanted(event)) found.push(event)
      }
      const [first] = page
      if (first === undefined || found.length === start.count) break
      searched += page.length
      await this.#pay()
      page = bus.pageBefore(first.seq, SCANNED_MAX)
    }
    this.#found = found.reverse()
  }

  /** Done at once where the past is short; else `true`, and `run` does the rest. */
  begin(): boolean {
    const { start, bus, arm } = this.#options
    this.#startSeq = bus.publishedSeq
    if (start.kind === 'none') arm()
    else if (start.kind === 'empty') this.#finish([])
    else if (start.kind === 'count') this.#finish(this.#findNewest(start.count))
    else {
      const events = bus.page(this.#cursor, SCANNED_MAX)
      // The event of the cursor, or an older one, has to be there still: else some may be gone.
      this.#needsLog = start.kind === 'seq' && (bus.oldestSeq ?? Infinity) > this.#cursor
      return this.#needsLog || !this.#step(events)
    }
    return false
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { bus, onFailed } = this.#options
    try {
      let isActive = this.#needsLog ? await this.#readLog() : await this.#isReady()
      while (isActive && !this.#step(bus.page(this.#cursor, SCANNED_MAX))) {
        isActive = await this.#isReady()
      }
    } catch (error) {
      if (!this.#isStopped) onFailed(error)
    }
  }

  /** The subscription has ended: nothing more is sent. */
  stop(): void {
    this.#isStopped = true
  }

  /** Up to the newest event that is stored; `false`: the subscription has ended. */
  async #readLog(): Promise<boolean> {
    const { eventLog, resumptions, connection, work } = this.#options
    const { accountId } = connection.caller
    const release = await resumptions.acquire({ owner: accountId, ownMax: RESUMPTIONS_MAX })
    try {
      // Until nothing new has come: while a slow client took the last page, memory went on.
      for (let seq: number | undefined; seq !== this.#cursor; ) {
        seq = this.#cursor
        if (this.#isStopped) return false
        for await (const events of eventLog.read(seq, work.sql)) {
          const published = events.filter((event) => this.#isPublished(event))
          for (const event of published) this.#take(event)
          if (!(await this.#isReady())) return false
          // A later page would be taken in front of the rest of this one.
          if (published.length < events.length) break
        }
      }
      return !this.#isStopped
    } finally {
      release()
    }
  }

  /** What is stored and not published yet comes to the connection live, after the replay. */
  #isPublished({ seq }: BusEvent): boolean {
    return seq <= this.#options.bus.publishedSeq
  }

  /** Goes on in memory; `true`: at the end of it, and armed. */
  #step(events: readonly BusEvent[]): boolean {
    if (this.#nextSeq !== undefined && events[0]?.seq !== this.#nextSeq) {
      throw new Error('the client takes its replay more slowly than events leave memory')
    }
    for (const event of events) {
      this.#take(event)
      if (this.#sentLength >= SENT_LENGTH_MAX) break
    }
    this.#nextSeq = this.#options.bus.page(this.#cursor, 1)[0]?.seq
    if (this.#nextSeq !== undefined) return false
    if (this.#isAhead) {
      this.#frames.end()
      return false
    }
    this.#finish([])
    return true
  }

  get #isAhead(): boolean {
    const { start, bus } = this.#options
    return start.kind === 'seq' && bus.publishedSeq < this.#cursor
  }

  #take(event: BusEvent): void {
    this.#cursor = event.seq
    this.#scannedEvents += 1
    const { start, isWanted, wasDelivered } = this.#options
    const isPast = event.seq <= this.#startSeq
    if (isPast && start.kind === 'since' && event.timestampMs <= start.sinceMs) return
    if (!isWanted(event) || (!isPast && wasDelivered(event))) return
    this.#frames.add(event)
    this.#sentLength += this.#frames.takeSentLength()
  }

  /** Waits until more can be sent; `false`: the subscription has ended. */
  async #isReady(): Promise<boolean> {
    const hasSent = this.#sentLength > 0
    await this.#pay()
    if (this.#isAhead) await delay(AHEAD_POLL_MS)
    else if (!hasSent) await setImmediate()
    else if (!(await this.#options.connection.drained())) return false
    return !this.#isStopped
  }

  /** Pays for the last step, and waits for the account's share. */
  async #pay(): Promise<void> {
    const { work } = this.#options
    const [scanned, sent] = [this.#scannedEvents, this.#sentLength]
    this.#scannedEvents = 0
    this.#sentLength = 0
    await work.goOn('scannedEvents', scanned)
    await work.goOn('replayedLength', sent)
  }

  #findNewest(count: number): BusEvent[] {
    const { bus, isWanted } = this.#options
    const newer = bus.replay({ afterSeq: this.#searchedSeq })
    this.#scannedEvents += newer.length
    return [...this.#found, ...newer.filter(isWanted)].slice(-count)
  }

  #finish(events: readonly BusEvent[]): void {
    if (this.#isStopped) return
    const { start, pastOthers, arm, work } = this.#options
    const others = pastOthers()
    const all = others.length === 0 ? events : merge(events, others)
    for (const event of start.kind === 'count' ? all.slice(-start.count) : all) {
      this.#frames.add(event)
    }
    this.#frames.end()
    arm()
    work.charge('scannedEvents', this.#scannedEvents)
    work.charge('replayedLength', this.#sentLength + this.#frames.takeSentLength())
  }
}

const merge = (events: readonly BusEvent[], others: readonly BusEvent[]): readonly BusEvent[] =>
  [...events, ...others].sort((a, b) => a.timestampMs - b.timestampMs)

/** Clients refuse messages of more than 10 MiB, and a large one delays the events after it. */
const EVENTS_PER_FRAME_MAX = 500
const FRAME_LENGTH_MAX = 1024 * 1024

/**
 * Sends events of the past: in `snapshot` messages, or one by one. They go out with the texts that
 * live ones have.
 */
class ReplayFrames {
  readonly #connection: Connection
  readonly #isFlat: boolean
  readonly #subscription: number | undefined
  #texts: string[] = []
  #length = 0
  #meter: TransferMeter = 'ws_onchain'
  #hasSent = false
  #sentLength = 0

  constructor(
    connection: Connection,
    { isFlat, subscription }: Pick<ReplayOptions, 'isFlat' | 'subscription'>,
  ) {
    this.#connection = connection
    this.#isFlat = isFlat
    this.#subscription = subscription
  }

  add(event: BusEvent): void {
    const { text } = event
    if (this.#isFlat) {
      const subscription = this.#subscription
      const named = subscription === undefined ? text : writeSubscriptionEvent(event, subscription)
      this.#send(named, meterOf(event.type))
      return
    }
    if (this.#length + text.length > FRAME_LENGTH_MAX) this.#flush()
    if (this.#texts.length === 0) this.#meter = meterOf(event.type)
    this.#texts.push(text)
    this.#length += text.length + 1
    if (this.#texts.length === EVENTS_PER_FRAME_MAX) this.#flush()
  }

  /** Sends the rest, or the message that there was nothing. */
  end(): void {
    if (this.#texts.length > 0 || !this.#hasSent) this.#flush()
  }

  /** Characters that were sent since the last call. */
  takeSentLength(): number {
    const length = this.#sentLength
    this.#sentLength = 0
    return length
  }

  #flush(): void {
    const { length } = this.#texts
    const subscription = this.#subscription === undefined ? '' : `"subscription":${this.#subscription},`
    const text = `{"type":"snapshot",${subscription}"count":${length},"events":[${this.#texts.join(',')}]}`
    this.#texts = []
    this.#length = 0
    this.#send(text, this.#meter)
  }

  #send(text: string, meter: TransferMeter): void {
    this.#connection.send(text, meter)
    this.#hasSent = true
    this.#sentLength += text.length
  }
}
