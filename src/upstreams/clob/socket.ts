import { UpstreamError } from '../../core/upstream-error.js'
import { UpstreamSocket } from '../transport/socket.js'
import type {
  SocketConnectorOptions,
  SocketFault,
  SocketGap,
  SocketStatus,
} from '../transport/socket-options.js'
import { type ClobEvent, parseClobFrame } from './socket-parse.js'

const NAME = 'clob_ws'

const TOKENS_PER_FRAME = 500
const TOKENS_MAX = 20_000
/** The answer to a subscription holds the books of all its tokens. */
const LIMITS = { frameBytesMax: 64 * 1024 * 1024, inboxBytesMax: 256 * 1024 * 1024 }
const REPEATED_CHARACTERS_MAX = 64 * 1024

/** The events of that time are missing: the books of the tokens have to be fetched again. */
export type ClobGap = SocketGap & { tokenIds: string[] }

export type ClobSocketOptions = SocketConnectorOptions & {
  /** The events of a frame, in order. While a promise is pending the next frames wait. */
  onEvents: (events: ClobEvent[]) => void | Promise<void>
  /** A connection is open, and all tokens were subscribed to again: their books will come. */
  onOpen?: (() => void) | undefined
  /** Called at once when events begin to be missing: the books may be wrong from now on. */
  onInterrupted?: ((reason: SocketFault) => void) | undefined
  /**
   * Events are missing, so the books have to be read again. After a new connection they come by
   * themselves; after a frame that could not be read `resubscribe` makes them come.
   */
  onGap?: ((gap: ClobGap) => void | Promise<void>) | undefined
  /** Whether a stream without events is taken for dead; by default it is while any token is subscribed. */
  expectsData?: (() => boolean) | undefined
  tokensMax?: number | undefined
}

/**
 * The market socket of the order book: books, changes and trades of the tokens that are wanted, and
 * events of all markets. Subscriptions outlive a connection: the next one sends them again.
 */
export class ClobSocket {
  readonly #socket: UpstreamSocket<ClobEvent[]>
  readonly #tokensMax: number
  readonly #wanted = new Set<string>()
  #hasSentFirst = false
  #lastText: string | undefined

  constructor(options: ClobSocketOptions) {
    const { onEvents, onGap, onOpen, tuning, tokensMax = TOKENS_MAX } = options
    this.#tokensMax = tokensMax
    this.#socket = new UpstreamSocket<ClobEvent[]>({
      ...options,
      upstream: NAME,
      heartbeat: { everyMs: 10_000, text: 'PING' },
      deadAfterMs: 30_000,
      // Markets may be quiet for longer: their reader asks for a book again now and then.
      silentAfterMs: 30_000,
      expectsData: options.expectsData ?? (() => this.#wanted.size > 0),
      parse: (text) => {
        const events = parseClobFrame(text)
        return events === undefined || this.#isRepeated(text) ? undefined : events
      },
      onOpen: () => {
        this.#onOpen()
        onOpen?.()
      },
      onMessage: onEvents,
      onGap: (gap) => onGap?.({ ...gap, tokenIds: [...this.#wanted] }),
      ...tuning,
      limits: { ...LIMITS, ...tuning?.limits },
    })
  }

  start(signal: AbortSignal): void {
    this.#socket.start(signal)
  }

  get status(): SocketStatus & { tokens: number } {
    return { ...this.#socket.status, tokens: this.#wanted.size }
  }

  /** Tokens that are followed already stay so. Throws, and adds none, when they would be too many. */
  subscribe(tokenIds: Iterable<string>): void {
    const fresh = [...new Set(tokenIds)].filter((id) => !this.#wanted.has(id))
    if (this.#wanted.size + fresh.length > this.#tokensMax) {
      const message = `no more than ${this.#tokensMax} tokens can be followed`
      throw new UpstreamError(message, { upstream: NAME, retryable: false })
    }
    for (const id of fresh) this.#wanted.add(id)
    this.#sendSubscribe(fresh)
  }

  /** Events of these tokens that are on their way may still come. */
  unsubscribe(tokenIds: Iterable<string>): void {
    this.#sendUnsubscribe([...tokenIds].filter((id) => this.#wanted.delete(id)))
  }

  /** Asks for the whole books of these tokens, which come in order with all other events. */
  resubscribe(tokenIds: Iterable<string>): void {
    const known = [...tokenIds].filter((id) => this.#wanted.has(id))
    this.#sendUnsubscribe(known)
    this.#sendSubscribe(known)
  }

  #onOpen(): void {
    this.#hasSentFirst = false
    this.#sendSubscribe([...this.#wanted])
  }

  /** The first frame of a connection has a form of its own. */
  #sendSubscribe(tokenIds: readonly string[]): void {
    // The answer may be the very books of the last one.
    this.#lastText = undefined
    for (const ids of chunk(tokenIds)) {
      const form = this.#hasSentFirst
        ? { operation: 'subscribe' }
        : { type: 'market', initial_dump: true, level: 2 }
      const wasSent = this.#send({ assets_ids: ids, ...form, custom_feature_enabled: true })
      if (wasSent) this.#hasSentFirst = true
    }
  }

  #sendUnsubscribe(tokenIds: readonly string[]): void {
    for (const ids of chunk(tokenIds)) this.#send({ assets_ids: ids, operation: 'unsubscribe' })
  }

  #send(frame: object): boolean {
    return this.#socket.send(JSON.stringify(frame))
  }

  // Timestamps, hashes and sizes make each frame its own: the same text again is the same frame.
  #isRepeated(text: string): boolean {
    const isRepeated = text === this.#lastText
    this.#lastText = text.length <= REPEATED_CHARACTERS_MAX ? text : undefined
    return isRepeated
  }
}

function* chunk(tokenIds: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < tokenIds.length; from += TOKENS_PER_FRAME)
    yield tokenIds.slice(from, from + TOKENS_PER_FRAME)
}
