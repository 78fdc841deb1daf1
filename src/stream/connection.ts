import type { Caller } from '../accounts/key-ring.js'
import type { SharedFrame, TransferMeter } from './fast/shared-frame.js'

/** One client's socket, as the protocols of events and of orderbooks see it. */
export type Connection = {
  /** A UUID, which clients see as `subscriber_id`. */
  readonly id: string
  readonly caller: Caller
  /**
   * Sends a message of this connection alone: an acknowledgement, an error, a replay. It leaves behind
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
  /** Must not throw, whatever the client sends. */
  onMessage(text: string): void | Promise<void>
  /** The connection has ended, for whatever reason. */
  onClose(): void
}
