import { GenerationMap } from '../../lib/generation-map.js'
import { UpstreamSocket } from '../transport/socket.js'
import type { SocketOptions } from '../transport/socket-options.js'
import { createRedact } from '../transport/url.js'
import { SETTLERS } from './calldata.js'
import { type HeadGap, HeadTrack } from './head-track.js'
import type { Head, PendingTransaction } from './parse.js'
import { parseSocketFrame, type SocketMessage, type SubscriptionKind, Subscriptions } from './socket-parse.js'

export type PolygonSocketOptions = Pick<
  SocketOptions<unknown>,
  'url' | 'clock' | 'metrics' | 'log' | 'opened' | 'timings' | 'silentAfterMs'
>

/** While a returned promise is pending, later messages wait; past the bound in bytes the socket is closed. */
export type PolygonListener = {
  /** A head at or below the one before replaces what was there. */
  onHead(head: Head): void | Promise<void>
  /** A transaction to an exchange or a fee module that is in no block yet. */
  onPending?(tx: PendingTransaction): void | Promise<void>
  /** Called before the head that revealed it. The blocks are to be read over HTTP. */
  onGap(gap: HeadGap): void | Promise<void>
}

const NAME = 'polygon_ws'
const PENDING_REMEMBERED = 10_000

/** How long to stay away from a node that refuses what we cannot do without. */
const REFUSED_WAIT_MS = 10_000

type DataMessage = Exclude<SocketMessage, { kind: 'subscribed' | 'refused' }>

/** New heads and pending transactions of a Polygon node, as they come. */
export class PolygonSocket {
  readonly #options: PolygonSocketOptions
  readonly #listener: PolygonListener
  readonly #socket: UpstreamSocket<DataMessage>
  readonly #track = new HeadTrack()
  readonly #pendingSeen = new GenerationMap<string, true>()
  /** Of this connection. */
  #subscriptions = new Subscriptions()

  constructor(options: PolygonSocketOptions, listener: PolygonListener) {
    this.#options = options
    this.#listener = listener
    this.#socket = new UpstreamSocket<DataMessage>({
      ...options,
      upstream: NAME,
      heartbeat: { everyMs: 10_000 },
      deadAfterMs: 25_000,
      // Without a new head for that long the socket is opened again.
      silentAfterMs: options.silentAfterMs ?? 15_000,
      parse: (text) => this.#parse(text),
      isData: ({ kind }) => kind === 'head',
      onOpen: () => this.#subscribe(),
      onMessage: (message) => this.#onMessage(message),
      onGap: () => this.#track.interrupt(),
    })
  }

  start(signal: AbortSignal): void {
    this.#socket.start(signal)
  }

  #subscribe(): void {
    const subscriptions = new Subscriptions()
    this.#subscriptions = subscriptions
    const ask = (kind: SubscriptionKind, params: readonly unknown[]) =>
      this.#socket.send(subscriptions.ask(kind, params))
    ask('heads', ['newHeads'])
    if (this.#listener.onPending !== undefined) ask('pending', ['newPendingTransactions', true])
  }

  /**
   * Answers to subscriptions are handled while frames are parsed: the first data may come
   * with the very next one, and a busy reader may get to them when there is another connection.
   */
  #parse(text: string): DataMessage | undefined {
    const subscriptions = this.#subscriptions
    const message = parseSocketFrame(text, subscriptions, (to) => SETTLERS.has(to))
    if (message?.kind === 'subscribed') {
      subscriptions.confirm(message.request, message.subscription)
      return undefined
    }
    if (message?.kind === 'refused') {
      this.#onRefusal(message)
      return undefined
    }
    return message
  }

  /** Many nodes show no pending transactions. Everything else is what we are here for. */
  #onRefusal({ request, code, message }: SocketMessage & { kind: 'refused' }): void {
    const { url, log } = this.#options
    const kind = this.#subscriptions.kindOfRequest(request)
    const detail = createRedact(url)(`${kind} refused with ${code}: ${message}`)
    if (kind !== 'pending') this.#socket.reject(detail, REFUSED_WAIT_MS)
    else log.warn({ upstream: NAME, detail }, 'node shows no pending transactions')
  }

  #onMessage(message: DataMessage): void | Promise<void> {
    if (message.kind === 'head') return this.#onHead(message.head)
    const { tx } = message
    if (this.#pendingSeen.get(tx.hash) !== undefined) return undefined
    if (this.#pendingSeen.size >= PENDING_REMEMBERED) this.#pendingSeen.rotate()
    this.#pendingSeen.set(tx.hash, true)
    return this.#listener.onPending?.(tx)
  }

  #onHead(head: Head): void | Promise<void> {
    const wasInterrupted = this.#track.isInterrupted
    const accepted = this.#track.accept(head)
    if (accepted === undefined) return undefined
    if (accepted.gap === undefined) return this.#listener.onHead(head)
    // Interruptions are counted where the socket is opened again.
    if (!wasInterrupted) this.#options.metrics.gaps.inc({ upstream: NAME })
    return this.#onGap(accepted.gap, head)
  }

  async #onGap(gap: HeadGap, head: Head): Promise<void> {
    try {
      await this.#listener.onGap(gap)
    } finally {
      await this.#listener.onHead(head)
    }
  }
}
