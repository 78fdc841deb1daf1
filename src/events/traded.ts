import type { EventKeys } from '../bus/event.js'
import { toDecimal, toPrice } from '../core/money.js'
import type { Generation } from '../upstreams/polygon/contracts.js'
import type { EnrichedToken } from './enrichment.js'
import type { Match, MatchRow } from './match.js'
import { described, type KeyParts, optional, PROTOCOL, Wire } from './message.js'

/** Price, size and what both sides give, on every message about a trade. */
export const TRADED = {
  side: Wire.Side,
  price: Wire.Price,
  size: described(Wire.Amount, 'shares'),
  maker_amount: described(Wire.Digits, 'what `maker` gives, in millionths'),
  taker_amount: described(Wire.Digits, 'what `maker` gets, in millionths'),
  is_taker_order: Wire.IsTakerOrder,
}

/** The contracts that an order was filled on. */
export const VENUE = optional({ exchange_version: Wire.ExchangeVersion, ...PROTOCOL })

export function presentTraded({
  side,
  usd,
  shares,
  isTaker,
}: Pick<MatchRow, 'side' | 'usd' | 'shares' | 'isTaker'>) {
  const [made, taken] = side === 'BUY' ? [usd, shares] : [shares, usd]
  return {
    side,
    price: toPrice(usd, shares),
    size: toDecimal(shares),
    maker_amount: made.toString(),
    taker_amount: taken.toString(),
    is_taker_order: isTaker,
  }
}

/** The first exchanges have no version. */
export const exchangeVersion = (generation: Generation): string | undefined =>
  generation === 1 ? undefined : `v${generation}`

export const presentVenue = (generation: Generation, { fields }: EnrichedToken) => ({
  exchange_version: exchangeVersion(generation),
  protocol_version: fields.protocol_version,
  module: fields.module,
})

/** A match is found by every wallet in it, and is as large as what its taker traded. */
export function matchKeys(
  { taker, rows }: Match,
  { market }: EnrichedToken,
  conditionId: string | undefined,
  traded: readonly { token_id: string }[],
  status: EventKeys['status'],
): KeyParts {
  return {
    wallets: [taker.maker, ...rows.map(({ maker }) => maker)],
    tokens: traded.map(({ token_id }) => token_id),
    market,
    conditionId,
    side: taker.side,
    usd: taker.usd,
    status,
  }
}
