import { pricePerShare, toDecimal, toPrice } from '../core/money.js'
import { sideOf } from './combo-legs.js'
import type { Enricher } from './enrichment.js'
import type { Match, MatchRow } from './match.js'
import { closedRow, described, optional, Wire } from './message.js'

/**
 * One order of a combo match. Two generations of clients read it, under different names: what the
 * newer one calls `maker` and `price` the older one calls `maker_address` and `price_e6`.
 */
export const COMBO_ROW = closedRow('ComboFill', {
  position_id: Wire.TokenId,
  order_hash: Wire.Hash,
  maker: described(Wire.Address, 'owner of the order; the row is told from its side'),
  maker_address: Wire.Address,
  taker: described(Wire.Address, "the taker's wallet; on its own row the exchange"),
  taker_address: Wire.Address,
  is_taker_order: Wire.IsTakerOrder,
  side: Wire.Side,
  outcome: Wire.YesNo,
  outcome_side: Wire.YesNo,
  price: Wire.Price,
  price_e6: described(Wire.Digits, 'millionths of a dollar for a share'),
  size: described(Wire.Amount, 'shares'),
  size_e6: Wire.Digits,
  amount_usdc: Wire.Amount,
  maker_amount_e6: described(Wire.Digits, 'what `maker` gives, in millionths'),
  taker_amount_e6: described(Wire.Digits, 'what `maker` gets, in millionths'),
  fee: described(Wire.Amount, 'USDC, not subtracted from `amount_usdc`'),
  fee_e6: Wire.Digits,
  ...optional({
    signer: described(Wire.Address, 'only while pending: logs do not name it'),
    signer_address: Wire.Address,
  }),
})

export function presentComboRow(row: MatchRow, { exchange }: Match, enricher: Enricher) {
  const { maker, signer, fee = 0n } = row
  const taker = row.isTaker ? exchange : row.taker
  const outcome = sideOf(row.token)
  return {
    position_id: enricher.tokenId(row.token),
    order_hash: row.orderHash,
    maker,
    maker_address: maker,
    signer,
    signer_address: signer,
    taker,
    taker_address: taker,
    is_taker_order: row.isTaker,
    side: row.side,
    outcome,
    outcome_side: outcome,
    price: toPrice(row.usd, row.shares),
    price_e6: pricePerShare(row.usd, row.shares).toString(),
    size: toDecimal(row.shares),
    size_e6: row.shares.toString(),
    amount_usdc: toDecimal(row.usd),
    ...presentAmounts(row),
    fee: toDecimal(fee),
    fee_e6: fee.toString(),
  }
}

/** What the order gives and gets, in millionths. */
export function presentAmounts({ side, usd, shares }: Pick<MatchRow, 'side' | 'usd' | 'shares'>) {
  const [made, taken] = side === 'BUY' ? [usd, shares] : [shares, usd]
  return { maker_amount_e6: made.toString(), taker_amount_e6: taken.toString() }
}
