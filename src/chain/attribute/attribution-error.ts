import { AMOUNT_MAX } from '../../core/money.js'
import type { QuarantineFact } from '../facts/quarantine.js'

/** Why no token event of a transaction can be booked. Thrown and caught during attribution. */
export class AttributionError extends Error {
  override name = 'AttributionError'
  readonly reason: QuarantineFact['reason']

  constructor(reason: QuarantineFact['reason'], detail: string) {
    super(detail)
    this.reason = reason
  }
}

/** Returns the amount. Throws AttributionError when it is too large to be booked. */
export function checkAmount(amount: bigint): bigint {
  if (amount > AMOUNT_MAX) throw new AttributionError('absurd_amount', `${amount} is no amount of money`)
  return amount
}
