import { AMOUNT_MAX } from '../../core/money.js'
import type { QuarantineFact } from '../facts/quarantine.js'

/** Why nothing of a transaction can be booked. Thrown and caught while it is read. */
export class AttributionError extends Error {
  override name = 'Refusal'
  readonly reason: QuarantineFact['reason']

  constructor(reason: QuarantineFact['reason'], detail: string) {
    super(detail)
    this.reason = reason
  }
}

/** The amount, if it is one that can be booked. */
export function checkAmount(amount: bigint): bigint {
  if (amount > AMOUNT_MAX)
    throw new AttributionError('absurd_amount', `${amount} is no amount of money`)
  return amount
}
