import { setImmediate } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { Bus } from '../../bus/bus.js'
import type { Clock } from '../../core/clock.js'
import { FairSemaphore } from '../../lib/fair-semaphore.js'
import { faultFields } from '../../lib/fault-fields.js'
import { showValue } from '../../lib/show-value.js'
import { systemTiming, type Timing } from '../../lib/timing.js'
import { mergePages } from '../../replay/merge-pages.js'
import type { ReplayEvent } from '../../replay/replay-event.js'
import { ReplayPlayer } from '../../replay/replay-player.js'
import { parseReplayTime, type ReplayRange } from '../../replay/replay-range.js'
import { type BookStep, ReplayedBooks } from '../../replay/replayed-books.js'
import { BookFeed } from '../books/book-feed.js'
import { ClientWork, toWorkRefusal } from '../client-work.js'
import { CLOSE, type Connection, type Protocol, Refusal } from '../connection.js'
import type { StreamDeps } from '../deps.js'
import { EventProtocol } from '../events/event-protocol.js'
import { StreamHub } from '../hub.js'
import type { ReplayEndMessage, ReplayStateMessage } from '../messages.js'
import { isRecord } from '../subscriptions/filter-rules.js'

/** Messages about the replay itself are shorter; all others are those of live sockets, with long lists of filters. */
const ACTION_LENGTH_MAX = 200
/** What a replay has in memory of the events that it has played, for the snapshots of further subscriptions. */
const RECENT = { keepMs: 5 * 60_000, bytesMax: 4 * 1024 * 1024, countMax: 2_000 }
/** Replays of this process that read the record at the same time, and those of one account. */
const READS_MAX = 2
/** The windows of books end by the time of the replay: the feed's own timer has nothing to do. */
const NO_WINDOW_MS = 2 ** 31 - 1
const OWN_READS_MAX = 1

/** What the replays of one process share. */
export class ReplayReads {
  readonly semaphore = new FairSemaphore({ totalMax: READS_MAX })
}

type ReplayOptions = {
  range: ReplayRange
  isBySubscription: boolean
  reads: ReplayReads
  timing?: Timing | undefined
}

/**
 * The protocol of live events over those of the past. Each replay has buses and an index of subscriptions of its own, and plays
 * the record onto these buses: subscriptions, filters and texts are made by the code that makes them live.
 */
export class ReplayProtocol implements Protocol {
  readonly #deps: StreamDeps
  readonly #connection: Connection
  readonly #options: ReplayOptions
  readonly #work: ClientWork
  readonly #buses: Record<ReplayEvent['bus'], Bus>
  readonly #hub: StreamHub
  readonly #events: EventProtocol
  readonly #books: ReplayedBooks
  readonly #feed: BookFeed
  readonly #player: ReplayPlayer<PlayedItem>
  /** Messages of events that were sent, by type. */
  readonly #counts: Record<string, number> = {}
  #playedType: string | undefined
  /** Characters that the account has not paid for. */
  #sentLength = 0
  #isSubscribed = false
  /** Whole books are being sent, before which nothing may be played. */
  #onBooksSent: (() => void) | undefined
  #untilBooksSent: Promise<void> = Promise.resolve()
  #recordedFromMs: number | undefined

  constructor(deps: StreamDeps, connection: Connection, options: ReplayOptions) {
    this.#deps = deps
    this.#connection = connection
    this.#options = options
    this.#work = new ClientWork(deps, connection.caller)
    // The time of the replay is the time of everything in it: of `since`, and of the answer to a ping.
    const clock: Clock = { now: () => this.#player.nowMs }
    const { range, timing = systemTiming } = options
    this.#player = new ReplayPlayer({
      range,
      timing,
      open: (fromMs) => this.#readRecord(fromMs),
      timeOf,
      play: (item) => this.#play(item),
      untilReady: (events) => this.#untilReady(events),
      onEnd: () => this.#end(),
      onFailed: (error) => this.#fail(error),
    })
    const { log } = deps
    const createBus = () => new Bus({ clock, log, ...RECENT })
    this.#buses = { chain: createBus(), prices: createBus(), scores: createBus() }
    const { chain: bus, prices: priceBus, scores: scoreBus } = this.#buses
    const ownBuses = { bus, priceBus, scoreBus, clock }
    this.#hub = new StreamHub({ ...ownBuses, metrics: new Registry() })
    this.#books = new ReplayedBooks({
      sql: () => this.#work.sql,
      now: () => this.#player.nowMs,
      onFollow: (which) => this.#checkFollow(which),
    })
    const past = { ...deps, ...ownBuses, eventLog: NO_LOG, scores: NO_SCORES, books: this.#books }
    this.#feed = new BookFeed(past, { windowMs: NO_WINDOW_MS })
    const { isBySubscription } = options
    this.#events = new EventProtocol(past, this.#watch(connection), this.#hub, this.#feed, {
      isBySubscription,
    })
  }

  get itemsMax(): number {
    return this.#events.itemsMax
  }

  async onMessage(text: string): Promise<void> {
    const action = parseReplayAction(text)
    await this.#untilBooksSent
    if (action === undefined) await this.#events.onMessage(text)
    else this.#act(action)
    await this.#untilBooksSent
    if (this.#isSubscribed && this.#player.state === 'waiting') await this.#start()
  }

  onClose(): void {
    this.#player.close()
    this.#events.onClose()
    this.#hub.close()
    this.#feed.close()
    this.#onBooksSent?.()
  }

  /** Says what there is to replay, and begins. */
  async #start(): Promise<void> {
    try {
      this.#recordedFromMs = await this.#deps.replayRecord.startOf(this.#work.sql)
      this.#player.start()
      this.#sendState()
    } catch (error) {
      this.#fail(error)
    }
  }

  #act(action: ReplayAction): void {
    const fault = this.#findFault(action)
    if (fault !== undefined) {
      this.#connection.send({ type: 'error', code: 'invalid_message', message: fault })
      return
    }
    if (action.kind === 'seek') this.#player.seek(parseReplayTime(action.to) ?? 0)
    else this.#player[action.kind]()
    this.#sendState()
  }

  #findFault(action: ReplayAction): string | undefined {
    if (this.#player.state === 'waiting') return 'the replay begins with the first subscription'
    if (action.kind !== 'seek') return undefined
    const { fromMs, toMs } = this.#options.range
    const to = parseReplayTime(action.to)
    if (to !== undefined && to >= fromMs && to < toMs) return undefined
    return `to must be a time from ${fromMs} to before ${toMs}, in Unix milliseconds, not ${showValue(action.to)}`
  }

  #sendState(): void {
    const { state, nowMs } = this.#player
    if (state === 'waiting') return
    const recorded_from = this.#recordedFromMs ?? null
    this.#connection.send({
      type: 'replay_state',
      state,
      at: nowMs,
      recorded_from,
    } satisfies ReplayStateMessage)
  }

  async *#readRecord(fromMs: number): AsyncGenerator<readonly PlayedItem[]> {
    const { replayRecord } = this.#deps
    const { semaphore } = this.#options.reads
    const owner = this.#connection.caller.accountId
    const { toMs } = this.#options.range
    const events = replayRecord.read(fromMs, toMs, this.#work.sql)
    const pages = mergePages<PlayedItem>(
      events,
      this.#books.read(fromMs, toMs),
      (a, b) => timeOf(a) < timeOf(b),
    )
    try {
      for (;;) {
        const next = await semaphore.run({ owner, ownMax: OWN_READS_MAX }, () => pages.next())
        if (next.done === true) return
        yield next.value
      }
    } finally {
      await pages.return(undefined)
    }
  }

  #play(item: PlayedItem): void {
    if ('kind' in item) this.#playBook(item)
    else this.#playEvent(item)
  }

  #playBook({ event }: BookStep): void {
    if (event !== undefined) {
      this.#books.play(event)
      return
    }
    this.#playedType = 'orderbook'
    this.#feed.flush()
    this.#playedType = undefined
  }

  #playEvent({ bus, event }: ReplayEvent): void {
    this.#playedType = event.type
    this.#buses[bus].play(event)
    this.#playedType = undefined
  }

  /** Lets the event loop serve live sockets, charges the account, and waits until the client has read most of what was sent. */
  async #untilReady(events: number): Promise<boolean> {
    const sentLength = this.#sentLength
    this.#sentLength = 0
    await setImmediate()
    await this.#work.goOn('scannedEvents', events)
    await this.#work.goOn('replayedLength', sentLength)
    return await this.#connection.drained()
  }

  #end(): void {
    const { fromMs, toMs } = this.#options.range
    const sent = Object.values(this.#counts).reduce((sum, count) => sum + count, 0)
    const counts = { events: sent, by_type: this.#counts }
    this.#connection.send({
      type: 'replay_end',
      from: fromMs,
      to: toMs,
      ...counts,
    } satisfies ReplayEndMessage)
    this.#connection.close(CLOSE.normal, 'the replay has ended')
  }

  #fail(error: unknown): void {
    const refusal = toWorkRefusal(error)
    if (refusal === undefined) this.#deps.floodLog.write('warn', 'replay failed', () => faultFields(error))
    const { code, message, fields } =
      refusal ?? new Refusal('unavailable', 'the record could not be read; try again later')
    this.#connection.send({ type: 'error', code, message, ...fields })
    this.#connection.close(CLOSE.tooSlow, 'the replay could not go on')
  }

  /** Throws a `Refusal` where the replay has gone on since it began to read the record. */
  #checkFollow(which: 'all' | 'named'): void {
    const { state, hasPlayed, nowMs } = this.#player
    if (which === 'all') throw new Refusal('invalid_message', 'a replay has books by their names, not all')
    if (hasPlayed || state === 'playing') {
      const message =
        'books are subscribed before the replay begins: connect with paused=1, or pause and seek'
      throw new Refusal('invalid_message', message)
    }
    // What is read from now on has these books.
    if (state === 'paused') this.#player.seek(nowMs)
  }

  /** Follows what the protocol of books answers: nothing is played between an acknowledgement and the last book. */
  #noteSent(message: object | string): void {
    if (typeof message === 'string') this.#count(message.length)
    if (typeof message === 'string' || !('type' in message)) return
    if (message.type === 'subscribed') this.#isSubscribed = true
    const isOfBooks = 'subscription_type' in message && message.subscription_type === 'orderbook'
    if (message.type === 'subscribed' && isOfBooks) {
      this.#untilBooksSent = new Promise((resolve) => {
        this.#onBooksSent = resolve
      })
    }
    if (message.type === 'snapshots_done') this.#onBooksSent?.()
  }

  /** The connection as the protocol of events sees it. */
  #watch(connection: Connection): Connection {
    const { plan } = connection.caller
    return {
      id: connection.id,
      caller: connection.caller,
      send: (message, meter) => {
        this.#noteSent(message)
        connection.send(message, meter)
      },
      push: (frame) => {
        this.#count(frame.plain.length)
        connection.push(frame)
      },
      drained: () => connection.drained(),
      close: (code, reason) => connection.close(code, reason),
      // Replays are limited by their own number: they take no firehose from live sockets.
      takeFirehose: async () => plan.firehosesMax !== 0,
      releaseFirehose: () => undefined,
    }
  }

  #count(length: number): void {
    const type = this.#playedType
    if (type === undefined) return
    this.#counts[type] = (this.#counts[type] ?? 0) + 1
    this.#sentLength += length
  }
}

type PlayedItem = ReplayEvent | BookStep

const timeOf = (item: PlayedItem): number => ('kind' in item ? item.atMs : item.event.publishedMs)

type ReplayAction = { kind: 'pause' | 'resume' } | { kind: 'seek'; to: unknown }

/** `undefined`: a message that live sockets know, or one that none does. */
function parseReplayAction(text: string): ReplayAction | undefined {
  if (text.length > ACTION_LENGTH_MAX) return undefined
  try {
    const message: unknown = JSON.parse(text)
    if (!isRecord(message)) return undefined
    const { action, to } = message
    if (action === 'seek') return { kind: action, to }
    return action === 'pause' || action === 'resume' ? { kind: action } : undefined
  } catch {
    return undefined
  }
}

/** `since_seq` finds nothing: a replay begins where its `from` says. */
const NO_LOG = {
  load: async () => undefined,
  check: async () => 'gap' as const,
  read: async function* () {},
}

/** A replay knows of the scores that it has played alone. */
const NO_SCORES = { liveEvents: () => [], eventsOfGames: () => [] }
