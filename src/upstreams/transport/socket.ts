import { onAbort } from '../../lib/abort.js'
import { spreadBackoffMs } from '../../lib/timing.js'
import { ParseError } from './parse-json.js'
import { type ConnectionEnd, SocketConnection } from './socket-connection.js'
import { SocketInbox } from './socket-inbox.js'
import {
  LIMITS,
  type SocketFault,
  type SocketLimits,
  type SocketOptions,
  type SocketState,
  type SocketStatus,
  type SocketTimings,
  TIMINGS,
} from './socket-options.js'
import { createRedact } from './url.js'

/**
 * A socket to an upstream that is opened again whenever it ends, until it is closed.
 *
 *   connecting -> open         the handshake is done
 *   connecting -> waiting      refused, unreachable
 *   open       -> waiting      closed, lost, dead, silent, garbage, overrun, rejected
 *   waiting    -> connecting   the wait is over
 *   any        -> closed       `close` or the signal; nothing follows
 *
 * Whatever interrupts the data after the first opening begins a gap, and the next data end it. No
 * callback that throws can harm the socket.
 */
export class UpstreamSocket<Message> {
  readonly #options: SocketOptions<Message>
  readonly #limits: SocketLimits
  readonly #timings: SocketTimings
  readonly #inbox: SocketInbox
  readonly #redact: (text: string) => string
  #state: SocketState = 'closed'
  #connection: SocketConnection | undefined
  #waiting: NodeJS.Timeout | undefined
  #release: () => void = () => undefined
  #failures = 0
  /** From the first end until a connection is stable: one line in the log when it begins and one when it is over. */
  #outage: { sinceMs: number; ends: number } | undefined
  #recovering: NodeJS.Timeout | undefined
  #openedAt = 0
  #openedMs: number | undefined
  #firstOpenedMs: number | undefined
  #lastDataMs: number | undefined
  #gap: { fromMs: number; reason: SocketFault } | undefined
  #garbage = 0

  constructor(options: SocketOptions<Message>) {
    this.#options = options
    this.#limits = { ...LIMITS, ...options.limits }
    this.#timings = { ...TIMINGS, ...options.timings }
    this.#redact = createRedact(options.url)
    this.#inbox = new SocketInbox(this.#limits.inboxBytesMax, (error) => this.#onCallerError(error))
  }

  /** Once. The socket is open later; until the signal aborts it is opened again and again. */
  start(signal: AbortSignal): void {
    if (signal.aborted) return
    this.#release = onAbort(signal, () => this.close())
    this.#forgetConnection()
    this.#state = 'connecting'
    const { opened } = this.#options
    if (opened === undefined) this.#connect()
    else void opened.then(() => this.#state === 'connecting' && this.#connect())
  }

  get status(): SocketStatus {
    return { state: this.#state, openedMs: this.#openedMs, lastDataMs: this.#lastDataMs }
  }

  /** `false`: there is no open connection. Nothing is kept for the next one: `onOpen` sends what it needs. */
  send(text: string): boolean {
    return this.#state === 'open' && (this.#connection?.send(text) ?? false)
  }

  /** Ends this connection and opens another one, after `waitMs` or later. */
  reject(detail: string, waitMs = 0): void {
    this.#connection?.end('rejected', detail, waitMs)
  }

  close(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#release()
    clearTimeout(this.#waiting)
    clearTimeout(this.#recovering)
    this.#inbox.close()
    this.#connection?.close()
    this.#forgetConnection()
    this.#call(this.#options.onEnd)
  }

  #connect(): void {
    this.#state = 'connecting'
    try {
      this.#connection = new SocketConnection({
        ...this.#options,
        limits: this.#limits,
        timings: this.#timings,
        onOpen: () => this.#onOpen(),
        onFrame: (text) => this.#onFrame(text),
        onEnd: (end) => this.#onEnd(end),
      })
    } catch (error) {
      this.#onEnd({ fault: 'unreachable', detail: String(error), waitMs: 0 })
    }
  }

  #onOpen(): void {
    const { upstream, clock, metrics, log, onOpen } = this.#options
    this.#state = 'open'
    this.#openedAt = performance.now()
    this.#openedMs = clock.now()
    this.#firstOpenedMs ??= this.#openedMs
    metrics.connected.inc({ upstream })
    metrics.connectedAt.set({ upstream }, this.#openedMs / 1_000)
    metrics.health.succeeded(upstream, this.#openedMs)
    if (this.#outage === undefined) log.info({ upstream }, 'upstream socket is open')
    else this.#recovering = setTimeout(() => this.#endOutage(), this.#timings.stableMs).unref()
    this.#call(onOpen)
  }

  #onFrame(text: string | undefined): void {
    const message = this.#read(text)
    if (message === undefined || text === undefined) return
    if (!this.#inbox.hasRoom(text.length)) {
      this.#count('dropped')
      this.#connection?.end('overrun', 'frames come faster than they are read')
      return
    }
    const { isData, onMessage } = this.#options
    this.#count('ok')
    this.#garbage = 0
    if (isData?.(message) ?? true) this.#onData()
    this.#inbox.push(text.length, () => onMessage(message))
  }

  /** `undefined`: there is nothing to hand over. */
  #read(text: string | undefined): Message | undefined {
    try {
      if (text === undefined) throw new ParseError('a frame must be text')
      const message = this.#options.parse(text)
      if (message === undefined) this.#count('ignored')
      return message
    } catch (error) {
      this.#onGarbage(String(error))
      return undefined
    }
  }

  #onData(): void {
    const { upstream, clock, metrics, onGap } = this.#options
    const nowMs = clock.now()
    if (this.#gap !== undefined) {
      // The clock may have been set back meanwhile.
      const gap = { ...this.#gap, toMs: Math.max(nowMs, this.#gap.fromMs) }
      this.#gap = undefined
      metrics.gaps.inc({ upstream })
      this.#inbox.push(0, () => onGap(gap))
    }
    this.#lastDataMs = nowMs
    this.#connection?.touchData()
  }

  #onGarbage(detail: string): void {
    const { upstream, log } = this.#options
    this.#count('garbage')
    this.#beginGap('garbage')
    this.#garbage += 1
    if (this.#garbage === 1) log.warn({ upstream, detail: this.#redact(detail) }, 'frame refused')
    if (this.#garbage >= this.#limits.garbageMax) this.#connection?.end('garbage', detail)
  }

  #onEnd({ fault, detail, waitMs: upstreamWaitMs }: ConnectionEnd): void {
    const { upstream, clock, metrics, log, onFault } = this.#options
    const wasStable = this.#state === 'open' && performance.now() - this.#openedAt >= this.#timings.stableMs
    this.#failures = wasStable ? 1 : this.#failures + 1
    this.#beginGap(fault)
    this.#forgetConnection()
    this.#state = 'waiting'
    this.#garbage = 0
    this.#call(this.#options.onEnd)

    const waitMs = Math.max(upstreamWaitMs, spreadBackoffMs(this.#timings.backoff, this.#failures))
    const shown = { fault, detail: this.#redact(detail), waitMs: Math.round(waitMs) }
    metrics.health.failed(upstream, `${fault}: ${shown.detail}`, clock.now())
    clearTimeout(this.#recovering)
    this.#outage ??= { sinceMs: performance.now(), ends: 0 }
    this.#outage.ends += 1
    log[this.#outage.ends === 1 ? 'warn' : 'debug']({ upstream, ...shown }, 'upstream socket ended')
    this.#call(() => onFault?.({ upstream, detail: `${fault}: ${shown.detail}` }))
    this.#waiting = setTimeout(() => {
      metrics.reconnects.inc({ upstream, reason: fault })
      this.#connect()
    }, waitMs)
  }

  #endOutage(): void {
    const { upstream, log } = this.#options
    if (this.#outage === undefined) return
    const { sinceMs, ends } = this.#outage
    const seconds = Math.round((this.#openedAt - sinceMs) / 1_000)
    this.#outage = undefined
    log.info({ upstream, ends, seconds }, 'upstream socket works again')
  }

  #beginGap(reason: SocketFault): void {
    const fromMs = this.#lastDataMs ?? this.#firstOpenedMs
    if (fromMs === undefined || this.#gap !== undefined) return
    this.#gap = { fromMs, reason }
    this.#call(() => this.#options.onInterrupted?.(reason))
  }

  #forgetConnection(): void {
    const { upstream, metrics } = this.#options
    // Adding nothing makes the value appear before the first connection.
    metrics.connected.dec({ upstream }, this.#openedMs === undefined ? 0 : 1)
    this.#connection = undefined
    this.#openedMs = undefined
    metrics.connectedAt.set({ upstream }, 0)
  }

  #count(result: 'ok' | 'ignored' | 'garbage' | 'dropped'): void {
    this.#options.metrics.frames.inc({ upstream: this.#options.upstream, result })
  }

  #call(callback: (() => void) | undefined): void {
    try {
      callback?.()
    } catch (error) {
      this.#onCallerError(error)
    }
  }

  #onCallerError(error: unknown): void {
    const { upstream, log } = this.#options
    log.error({ upstream, err: error }, 'reader of an upstream socket failed')
  }
}
