import type { BookError } from '../messages/book-messages.js'

/** What an error message may say besides its code and text. */
export type RefusalFields = {
  max?: number
  requested?: number
  retry_after_ms?: number
  markets?: readonly string[]
}

/** Why a message of a client about books is not taken; the client reads all of it. */
export class BookRefusal extends Error {
  override name = 'BookRefusal'
  readonly code: BookError
  readonly fields: RefusalFields

  constructor(code: BookError, message: string, fields: RefusalFields = {}) {
    super(message)
    this.code = code
    this.fields = fields
  }
}
