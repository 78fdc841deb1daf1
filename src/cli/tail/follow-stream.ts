import { type RawData, WebSocket } from 'ws'
import type { ServiceAddress } from '../../config/service-address.js'
import { messageOf, OperatorError } from '../../core/errors.js'
import { onAbort } from '../../lib/abort.js'
import { backoffMs, systemTiming } from '../../lib/timing.js'
import type { TailSubscription } from './subscription.js'

/** An event message, or a message about a book. */
export type TailEvent = { type: string; [field: string]: unknown }

type FollowOptions = ServiceAddress & {
  subscription: TailSubscription
  /**
   * `false`: the caller takes no more events until `untilReady`. `sentMs` is the time of the message
   * that the event came in, where it has one.
   */
  onEvent(event: TailEvent, sentMs?: number): boolean
  untilReady(): Promise<void>
  /** Tells the user about the connection. */
  notify(text: string): void
  signal: AbortSignal
  retryMs?: number
}

/** The first wait; it doubles. */
const RETRY_MS = 1_000
const RETRY_MS_MAX = 30_000
const HANDSHAKE_MS_MAX = 10_000
/** The service pings every 30 seconds. */
const SILENCE_MS_MAX = 45_000
const CLOSE_MS_MAX = 1_000
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024

/** Errors that stay, however often the client connects. */
const LASTING = ['unauthorized', 'forbidden', 'session_limit']

/**
 * Hands over events until the signal aborts. A lost connection is opened again, and the stream goes on
 * after its last event. Throws what the user can mend: a wrong address, key or filter.
 */
export async function followStream(options: FollowOptions): Promise<void> {
  const { url, signal, notify, retryMs: baseMs = RETRY_MS } = options
  const place: Place = { isKnown: false }
  let failures = 0
  while (!signal.aborted) {
    const { isAcknowledged, error, reason } = await new FollowedConnection(options, place).ended
    if (signal.aborted) return
    // What fails at first fails again; later the service may be restarting.
    if (!place.isKnown || (error !== undefined && LASTING.includes(error))) {
      throw new OperatorError(`${url.href}: ${reason}`)
    }
    failures = isAcknowledged ? 1 : failures + 1
    const waitMs = backoffMs({ baseMs, maxMs: RETRY_MS_MAX }, failures)
    notify(`-- ${reason}; connecting again in ${(waitMs / 1_000).toFixed(1)} s`)
    await systemTiming.sleep(waitMs, signal).catch(() => undefined)
  }
}

/** How far the stream has come, over all connections. */
type Place = {
  /** The service has acknowledged the subscription once. */
  isKnown: boolean
  /** Of the last event. */
  seq?: number
  /** The time of the service when it sent the last message that has one. */
  ms?: number
}

type Ended = { isAcknowledged: boolean; error: string | undefined; reason: string }

/** One connection, from its handshake to its end. */
class FollowedConnection {
  /** Never rejects. */
  readonly ended: Promise<Ended>
  readonly #options: FollowOptions
  readonly #place: Place
  readonly #socket: WebSocket
  #isAcknowledged = false
  #error: string | undefined
  #reason: string | undefined

  constructor(options: FollowOptions, place: Place) {
    this.#options = options
    this.#place = place
    const url = new URL(options.url)
    url.searchParams.set('key', options.key)
    this.#socket = new WebSocket(url, {
      handshakeTimeout: HANDSHAKE_MS_MAX,
      maxPayload: MESSAGE_BYTES_MAX,
      perMessageDeflate: false,
    })
    this.ended = this.#follow()
  }

  async #follow(): Promise<Ended> {
    const socket = this.#socket
    const silence = setTimeout(() => this.#onSilence(silence), SILENCE_MS_MAX)
    const unlink = onAbort(this.#options.signal, () => this.#leave())
    socket.on('open', () => this.#subscribe())
    socket.on('ping', () => silence.refresh())
    socket.on('message', (data) => {
      silence.refresh()
      this.#onMessage(data)
    })
    socket.on('error', (error) => {
      this.#reason ??= messageOf(error)
    })
    const [code, why] = await new Promise<[number, string]>((resolve) => {
      socket.on('close', (code, why) => resolve([code, why.toString()]))
    })
    clearTimeout(silence)
    unlink()
    const closed = `the service closed the connection (${code}${why === '' ? '' : `, ${why}`})`
    const reason = this.#reason ?? (code === 1006 ? 'the connection was lost' : closed)
    return { isAcknowledged: this.#isAcknowledged, error: this.#error, reason }
  }

  #subscribe(): void {
    const place = this.#place.isKnown ? this.#place : undefined
    this.#socket.send(JSON.stringify(this.#options.subscription.message(place)))
  }

  #onSilence(timer: NodeJS.Timeout): void {
    // While this side does not read, it cannot hear.
    if (this.#socket.isPaused) {
      timer.refresh()
      return
    }
    this.#reason = 'the service is silent'
    this.#socket.terminate()
  }

  #leave(): void {
    const socket = this.#socket
    const isOpen = socket.readyState === WebSocket.OPEN
    if (isOpen) {
      socket.resume()
      socket.close(1000)
    }
    setTimeout(() => socket.terminate(), isOpen ? CLOSE_MS_MAX : 0).unref()
  }

  #onMessage(data: RawData): void {
    try {
      this.#read(JSON.parse(data.toString()))
    } catch (error) {
      this.#reason = `the service sent what tail cannot read: ${messageOf(error)}`
      this.#socket.terminate()
    }
  }

  #read(message: TailEvent): void {
    const { type, ts } = message
    if (typeof ts === 'number') this.#place.ms = ts
    const parts = message[PARTS[type] ?? '']
    if (type === 'error' || message.error !== undefined) this.#onError(message)
    else if (type === 'subscribed') this.#onAcknowledged(message)
    else if (Array.isArray(parts)) for (const part of parts) this.#onEvent(part, ts)
    else if (!SILENT.includes(type)) this.#onEvent(message)
  }

  #onError({ code, error, message }: TailEvent): void {
    this.#error = String(code ?? error)
    this.#reason = `${String(message)} (${this.#error})`
    this.#socket.close(1000)
  }

  #onAcknowledged({ warnings, resume, markets }: TailEvent): void {
    const { notify } = this.#options
    const place = this.#place
    for (const warning of Array.isArray(warnings) ? warnings : []) notify(`-- ${warning}`)
    if (markets === 0) notify('-- no book has this name')
    if (resume === 'gap') notify('-- resumed with a gap: events are missing here')
    else if (resume === 'confirmed') {
      notify('-- resumed after a restart of the service: pending events may be missing here')
    } else if (place.isKnown) {
      notify(place.seq === undefined ? '-- connected again' : `-- resumed behind seq ${place.seq}`)
    }
    this.#isAcknowledged = true
    place.isKnown = true
  }

  #onEvent(event: TailEvent, sentAt?: unknown): void {
    const { seq, timestamp } = event
    const place = this.#place
    // Prices of coins are numbered apart, and are not replayed.
    if (typeof seq === 'number' && event.type !== 'price_feed') {
      if (place.seq !== undefined && seq <= place.seq) return
      place.seq = seq
      if (typeof timestamp === 'number') place.ms = timestamp
    }
    const socket = this.#socket
    const sentMs = typeof sentAt === 'number' ? sentAt : undefined
    if (this.#options.onEvent(event, sentMs) || socket.isPaused) return
    socket.pause()
    void this.#options.untilReady().then(() => socket.resume())
  }
}

/** Where a message has several events in it. */
const PARTS: { readonly [type: string]: string } = {
  snapshot: 'events',
  snapshot_batch: 'snapshots',
  batch: 'updates',
}

/** Messages about the connection, which are no events. */
const SILENT = ['heartbeat', 'pong', 'unsubscribed', 'snapshots_done', 'resyncing']
