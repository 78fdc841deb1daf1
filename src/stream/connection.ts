import type { Caller } from '../accounts/key-ring.js'
import type { ReplayRange } from '../replay/replay-range.js'
import type { SharedFrame, TransferMeter } from './fast/shared-frame.js'
import type { BookError, StreamError } from './messages.js'

/** The sockets of the service: that of events, which also speaks of orderbooks, that of orderbooks alone, and events of the past. */
export type SocketKind = 'events' | 'orderbook' | 'replay'

export type ConnectionOptions = {
  isDeflated: boolean
  /** Books come with checksums. */
  hasIntegrity: boolean
  /** Every event says which subscription it is for. */
  isBySubscription: boolean
  /** Of the socket of replays alone. */
  replay?: ReplayRange | undefined
}

/** One client's socket, as the protocols of events and of orderbooks see it. */
export type Connection = {
  /** A UUID, which clients see as `subscriber_id`. */
  readonly id: string
  readonly caller: Caller
  /**
   * Sends a message of this connection alone: an acknowledgement, an error, a replay. It leaves after
   * everything that was sent or pushed before. `meter`: the transfer counts for the account.
   */
  send(message: object | string, meter?: TransferMeter): void
  /** Queues a frame that other connections receive too. It leaves with the next flush. */
  push(frame: SharedFrame): void
  /** Resolves when the client has taken most of what was sent; `false`: the connection is closed. */
  drained(): Promise<boolean>
  /** Everything that was sent or pushed before still goes out. */
  close(code: number, reason: string): void
  /**
   * Takes one of the firehoses that the account's plan grants in all processes; `false`: none is left. To be
   * called with the first subscription without a narrowing filter; a second call takes no second one.
   */
  takeFirehose(): Promise<boolean>
  /** Gives the firehose back; the end of the connection does so too. */
  releaseFirehose(): void
}

/** What a connection speaks. The door hands over one message at a time: the next one when this one is done. */
export type Protocol = {
  /** A message with more items than this is refused before it is parsed; absent: none is. */
  readonly itemsMax?: number
  /** Must not throw, whatever the client sends. */
  onMessage(text: string): void | Promise<void>
  /** The connection has ended, for whatever reason. */
  onClose(): void
}

/** How connections end that the service ends. */
export const CLOSE = {
  /** A replay has ended. */
  normal: 1000,
  /** The service stops, or the plan has changed: the client should connect again. */
  restart: 1012,
  /** The client does not keep up, or the service cannot take it now. */
  tooSlow: 1013,
  policy: 1008,
  internal: 1011,
  unauthorized: 4401,
  forbidden: 4403,
  idle: 4408,
  limit: 4429,
} as const

/** What an error message may say besides its code and text. */
export type RefusalFields = {
  max?: number
  requested?: number
  retry_after_ms?: number
  markets?: readonly string[]
}

/** Why a message of a client is not taken. Becomes an `error` message; the connection stays open. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: StreamError | BookError
  readonly fields: RefusalFields

  constructor(code: StreamError | BookError, message: string, fields: RefusalFields = {}) {
    super(message)
    this.code = code
    this.fields = fields
  }
}

export type SocketError = { code: string; message: string; fields?: RefusalFields }

/** A message that tells the client what is wrong. Clients of the orderbook socket look for `error`. */
export const presentError = (socket: SocketKind, { code, message, fields }: SocketError) =>
  socket === 'orderbook'
    ? { type: 'error', code, error: code, message, ...fields }
    : { type: 'error', code, message, ...fields }

/** A reason for a close frame, which has room for 123 bytes. */
export const toReason = (text: string): string => Buffer.from(text).subarray(0, 123).toString()
