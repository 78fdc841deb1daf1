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

const SHOWN_CHARACTERS_MAX = 80

/** A value of a client in the text of an error: never longer than a line, however deep it is. */
export function showValue(value: unknown): string {
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? 'a list' : 'an object'
  if (typeof value !== 'string') return String(value)
  const text = JSON.stringify(value.slice(0, SHOWN_CHARACTERS_MAX))
  return value.length <= SHOWN_CHARACTERS_MAX ? text : `${text}…`
}
