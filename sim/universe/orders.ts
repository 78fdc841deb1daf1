import { type ExchangeName, isV1, type Micros, type Order, type Side } from './acts.js'
import type { Token } from './market.js'
import { WHOLE_E4 } from './quotes.js'
import type { Rng } from './random.js'
import type { Wallet } from './wallet.js'

/** Micro-shares in a hundredth of a share. A size in hundredths times a price in ten-thousandths is micro-dollars. */
export const MICROS_E2 = 10_000
export const CENT = 10_000
/** The smallest order, in hundredths of a share. */
export const SIZE_E2_MIN = 100
export const BUILDER_FEE_BPS = 20
const BUILDER_FEE = BUILDER_FEE_BPS / 10_000
const V1_FEE_BPS = 200
const V1_FEE_CHANCE = 0.3
/** How often the operator of V1 charges a part of the fee that an order allows. */
const V1_PART_CHANCE = 0.4
const ONE_E18 = 10n ** 18n
/** How often people make an odd number of millionths of a set. */
const ODD_CHANCE = 0.5

export type Slice = { sizeE2: number; priceE4: number }

type OrderDraft = {
  exchange: ExchangeName
  wallet: Wallet
  token: Token
  side: Side
  createdMs: number
} & Slice

/** Field by field: spreading the draft would be a tenth of the time that history takes. */
export function newOrder(rng: Rng, draft: OrderDraft): Order {
  const { exchange, wallet, token, side, createdMs } = draft
  const shares = draft.sizeE2 * MICROS_E2
  const usd = draft.sizeE2 * draft.priceE4
  const buys = side === 'BUY'
  return {
    exchange,
    salt: rng.below(2 ** 30),
    wallet,
    token,
    side,
    makerAmount: buys ? usd : shares,
    takerAmount: buys ? shares : usd,
    feeRateBps: isV1(exchange) && rng.chance(V1_FEE_CHANCE) ? V1_FEE_BPS : 0,
    createdMs,
  }
}

/** Takers pay a share of p × (1 − p), and what the app they use adds. Five decimals, as the operator computes it. */
export function platformFee({ token, wallet }: Order, slices: readonly Slice[]): Micros {
  const rate = token.of.kind === 'combo' ? 0 : token.of.feeRate
  let fee = 0
  for (const { sizeE2, priceE4 } of slices) {
    const price = priceE4 / WHOLE_E4
    fee += sizeE2 * MICROS_E2 * rate * price * (1 - price)
    if (wallet.builder !== undefined) fee += sizeE2 * priceE4 * BUILDER_FEE
  }
  return Math.round(fee / 10) * 10
}

/**
 * The first exchange, in its own arithmetic: a share of the cheaper outcome's price, at the price of
 * the fill. Buyers pay in shares, sellers in money.
 */
export function v1Fee(
  { side, feeRateBps }: Pick<Order, 'side' | 'feeRateBps'>,
  shares: Micros,
  usd: Micros,
): Micros {
  if (feeRateBps === 0) return 0
  const price = (BigInt(usd) * ONE_E18) / BigInt(shares)
  const cheaper = price < ONE_E18 - price ? price : ONE_E18 - price
  const fee = BigInt(feeRateBps) * cheaper * BigInt(shares)
  return Number(fee / ((side === 'BUY' ? price : ONE_E18) * 10_000n))
}

/** What the fee module gives back: `usual` is all of a maker's fee and nothing of a taker's. */
export function v1Refund(rng: Rng, fee: Micros, usual: Micros): Micros {
  if (fee === 0) return 0
  return rng.chance(V1_PART_CHANCE) ? Math.floor(fee * rng.between(0.1, 0.9)) : usual
}

/** A number of sets: mostly whole ones, worth `usdMin` to `usdMax` dollars. */
export function drawSets(rng: Rng, usdMin: number, usdMax: number): Micros {
  const whole = Math.ceil(rng.between(usdMin, usdMax)) * 100 * CENT
  return rng.chance(ODD_CHANCE) ? whole - 1 - 2 * rng.below(50 * CENT) : whole
}
