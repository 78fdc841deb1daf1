import type { StreamError } from '../messages/control-messages.js'

/** Why a message of a client is not taken. Becomes an `error` message; the connection stays open. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: StreamError
  /** More for programs to read: a limit, and how much was asked for. */
  readonly fields: Readonly<Record<string, number>>

  constructor(code: StreamError, message: string, fields: Readonly<Record<string, number>> = {}) {
    super(message)
    this.code = code
    this.fields = fields
  }
}
