type RefusalType = 'validation error' | 'not found error'

/** What Gamma answers instead of data, as `{ type, error }`. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly status: number
  readonly type: RefusalType

  constructor(status: number, type: RefusalType, message: string) {
    super(message)
    this.status = status
    this.type = type
  }
}

export const invalid = (message: string) => new Refusal(422, 'validation error', message)
export const notFound = (message: string) => new Refusal(404, 'not found error', message)
