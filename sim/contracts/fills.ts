import assert from 'node:assert'
import type { Fill, Match } from '../universe/acts.js'
import type { Market } from '../universe/market.js'
import { feeChargedV2, orderFilledV2, ordersMatchedV2 } from './events/exchange-v2.js'
import type { LogBody } from './log.js'
import { builderWord, orderHash } from './order-hash.js'
import type { Word } from './words.js'

/** What the owner of the order gives, in the unit that the order counts in. */
export function making({ order, usd, shares }: Fill): number {
  return order.side === 'BUY' ? usd : shares
}

export function taking({ order, usd, shares }: Fill): number {
  return order.side === 'BUY' ? shares : usd
}

/** A pair on the same side mints or merges a set, a pair on opposite sides just trades. */
export function isTrade(match: Match, maker: Fill): boolean {
  return maker.order.side !== match.taker.order.side
}

/** Shares that the match mints or merges, all makers together. */
export function setsOf(match: Match): number {
  let sets = 0
  for (const maker of match.makers) if (!isTrade(match, maker)) sets += maker.shares
  return sets
}

export function makerFeesOf(match: Match): number {
  let fees = 0
  for (const maker of match.makers) fees += maker.fee
  return fees
}

export function marketOf({ of }: Match): Market {
  assert(of.kind === 'market', 'combos trade on exchange V3 alone')
  return of
}

/** The log of a resting order that was filled on exchange V2 or V3. */
export function makerFilled(exchange: string, maker: Fill, match: Match): LogBody {
  return orderFilledV2(filled(exchange, maker, match.taker.order.wallet.word))
}

/** The two logs that end a match on exchange V2 or V3. */
export function takerFilled(exchange: string, exchangeWord: Word, match: Match): LogBody[] {
  const fields = filled(exchange, match.taker, exchangeWord)
  return [orderFilledV2(fields), ordersMatchedV2(fields)]
}

export function chargedFee(exchange: string, fill: Fill): LogBody[] {
  return fill.fee > 0 ? [feeChargedV2(exchange, fill.fee)] : []
}

function filled(exchange: string, fill: Fill, taker: Word) {
  const { order } = fill
  return {
    exchange,
    orderHash: orderHash(order),
    maker: order.wallet.word,
    taker,
    sells: order.side === 'SELL',
    token: order.token.word,
    makerAmount: making(fill),
    takerAmount: taking(fill),
    fee: fill.fee,
    builder: builderWord(order),
  }
}
