import { toDecimal } from '../core/money.js'
import { presentTrade, type WithMarket } from '../lookups/trades/present.js'
import type { TradeRow } from '../lookups/trades/queries.js'

export const presentPaidFee = (row: WithMarket<TradeRow>) => ({
  ...presentTrade(row),
  fee_paid: toDecimal(row.fee),
  fee_paid_raw: `${row.fee}`,
  source: 'wallet_fees_paid' as const,
})

/** `rows`: the presented fees of a page. */
export function presentPaidFeeSums(rows: readonly object[]) {
  const paid = rows as readonly ReturnType<typeof presentPaidFee>[]
  return {
    page_total_fees_paid: toDecimal(paid.reduce((sum, row) => sum + BigInt(row.fee_paid_raw), 0n)),
    page_total_fees_paid_raw_note: 'page_total_fees_paid adds up the rows of this page only.',
    fee_semantics:
      'Fees that the owner of the filled order paid, in dollars; rebates and rewards are not subtracted.',
  }
}
