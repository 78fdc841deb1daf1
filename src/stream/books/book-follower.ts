import type { Connection } from '../connection.js'
import type { SharedFrame } from '../fast/shared-frame.js'
import { BookRefusal } from './book-refusal.js'

/** A client of integrity mode that reads nothing for this many windows is closed: 15 seconds. */
const UNREAD_WINDOWS_MAX = 60

const TOO_SLOW = ['integrity_backpressure', 'The client reads too slowly. Connect again.'] as const

/** A frame that the account pays for, or the text of a control message. */
export type BookMessage = SharedFrame | string

/** The connections that follow exactly the same books in the same mode: they receive the same frames. */
export type BookGroup = {
  readonly key: string
  readonly isIntegrity: boolean
  /** `undefined`: all books. */
  readonly tokens: ReadonlySet<string> | undefined
  readonly members: Set<BookFollower>
}

/** One connection that follows books. */
export class BookFollower {
  readonly connection: Connection
  /** Books that are acknowledged and not sent yet: their changes are held back. */
  readonly waiting = new Set<string>()
  /** What it follows; `undefined`: nothing. */
  group: BookGroup | undefined
  /** Ends the connection with this error. */
  readonly fail: (error: BookRefusal) => void
  #unread = 0

  constructor(connection: Connection, fail: (error: BookRefusal) => void) {
    this.connection = connection
    this.fail = fail
  }

  /** The messages of one window. */
  deliver(messages: readonly BookMessage[]): void {
    if (messages.length === 0) return
    for (const message of messages) {
      if (typeof message === 'string') this.connection.send(message)
      else this.connection.push(message)
    }
    if (this.group?.isIntegrity === true) this.#countUnread()
  }

  #countUnread(): void {
    const isFirst = this.#unread === 0
    this.#unread += 1
    if (isFirst) void this.connection.drained().then(() => (this.#unread = 0))
    else if (this.#unread > UNREAD_WINDOWS_MAX) this.fail(new BookRefusal(...TOO_SLOW))
  }
}
