import { Type } from 'typebox'
import { Decimal, IntegerText } from '../http/row-fields.js'
import { namedObject } from '../lib/named-object.js'
import { Trade } from '../lookups/trades/schemas.js'

export const PaidFee = namedObject('PaidFee', {
  ...Trade.properties,
  fee_paid: Decimal('dollars'),
  fee_paid_raw: IntegerText('millionths'),
  source: Type.Literal('wallet_fees_paid'),
})

export const PaidFeeSums = {
  page_total_fees_paid: Type.Number({ description: 'dollars, of this page only' }),
  page_total_fees_paid_raw_note: Type.String(),
  fee_semantics: Type.String(),
  after: Type.String({ description: 'Unix seconds, as applied' }),
  before: Type.String({ description: 'Unix seconds, as applied' }),
}
