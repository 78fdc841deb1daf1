/** What the exchange answers instead of data, as `{ error }`. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export const invalidToken = () => new Refusal(400, 'Invalid token id')
export const invalidSide = () => new Refusal(400, 'Invalid side')
export const invalidPayload = () => new Refusal(400, 'Invalid payload')
export const payloadTooLarge = () => new Refusal(400, 'Payload exceeds the limit')
export const noBook = () => new Refusal(404, 'No orderbook exists for the requested token id')
