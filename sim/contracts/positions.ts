import type { Market, Payouts, TokenPair } from '../universe/market.js'
import { payoutOfBoth } from '../universe/outcomes.js'
import { WORD } from './addresses.js'
import { payoutRedemption, positionSplit, positionsMerge } from './events/ctf.js'
import { burnWcol, mintWcol, moveUsdce, moveWcol, pullUsdce } from './events/erc20.js'
import { moveManyShares, moveShares } from './events/erc1155.js'
import { negRiskMerge, negRiskRedemption, negRiskSplit } from './events/neg-risk.js'
import type { LogBody } from './log.js'
import { type Word, ZERO_WORD } from './words.js'

// What the conditional tokens do for the caller that pays with USDC.e: a wallet, an exchange, a
// collateral adapter. Neg-risk markets go through the neg-risk adapter, which puts its wrapped
// collateral between; every one of its steps shows an inner one of the conditional tokens.

/** USDC.e of the holder becomes both outcomes. */
export function split(holder: Word, market: Market, amount: number): LogBody[] {
  const { conditionId } = market
  if (market.event.negRisk === undefined) {
    return [...pullUsdce(holder, WORD.ctf, WORD.ctf, amount), ...mintBoth(holder, WORD.usdce, market, amount)]
  }
  const adapter = WORD.negRiskAdapter
  return [
    ...pullUsdce(holder, adapter, adapter, amount),
    ...pullUsdce(adapter, WORD.wcol, WORD.wcol, amount),
    mintWcol(amount),
    moveWcol(adapter, WORD.ctf, amount),
    ...mintBoth(adapter, WORD.wcol, market, amount),
    moveBoth(adapter, adapter, holder, market, amount),
    negRiskSplit(holder, conditionId, amount),
  ]
}

/** Both outcomes become USDC.e of the holder. */
export function merge(holder: Word, market: Market, amount: number): LogBody[] {
  const { conditionId } = market
  if (market.event.negRisk === undefined) {
    return [
      moveBoth(holder, holder, ZERO_WORD, market, amount),
      moveUsdce(WORD.ctf, holder, amount),
      positionsMerge(holder, WORD.usdce, conditionId, amount),
    ]
  }
  const adapter = WORD.negRiskAdapter
  return [
    moveBoth(adapter, holder, adapter, market, amount),
    moveBoth(adapter, adapter, ZERO_WORD, market, amount),
    moveWcol(WORD.ctf, adapter, amount),
    positionsMerge(adapter, WORD.wcol, conditionId, amount),
    burnWcol(amount),
    moveUsdce(WORD.wcol, holder, amount),
    negRiskMerge(holder, conditionId, amount),
  ]
}

export type Amounts = readonly [number, number]

/** Outcomes of a resolved market become USDC.e of the holder; losing ones are burnt for nothing. */
export function redeem(holder: Word, market: Market, amounts: Amounts, payouts: Payouts): LogBody[] {
  const { conditionId } = market
  const payout = payoutOfBoth(amounts, payouts)
  if (market.event.negRisk === undefined) {
    return [
      ...burnHeld(holder, market.tokens, amounts),
      ...(payout > 0 ? [moveUsdce(WORD.ctf, holder, payout)] : []),
      payoutRedemption(holder, WORD.usdce, conditionId, payout),
    ]
  }
  const adapter = WORD.negRiskAdapter
  return [
    moveManyShares(adapter, holder, adapter, tokenWords(market), amounts),
    ...burnHeld(adapter, market.tokens, amounts),
    ...(payout > 0 ? [moveWcol(WORD.ctf, adapter, payout)] : []),
    payoutRedemption(adapter, WORD.wcol, conditionId, payout),
    ...(payout > 0 ? [burnWcol(payout), moveUsdce(WORD.wcol, holder, payout)] : []),
    negRiskRedemption(holder, conditionId, amounts, payout),
  ]
}

/** Mints both outcomes to the holder, whose collateral the conditional tokens already have. */
export function mintBoth(holder: Word, collateral: Word, market: Market, amount: number): LogBody[] {
  return [
    moveBoth(holder, ZERO_WORD, holder, market, amount),
    positionSplit(holder, collateral, market.conditionId, amount),
  ]
}

/** Moves the same amount of both outcomes. */
export function moveBoth(operator: Word, from: Word, to: Word, market: Market, amount: number): LogBody {
  return moveManyShares(operator, from, to, tokenWords(market), [amount, amount])
}

export function tokenWords({ tokens }: Market): [Word, Word] {
  return [tokens[0].word, tokens[1].word]
}

function burnHeld(holder: Word, tokens: TokenPair, amounts: Amounts): LogBody[] {
  return tokens.flatMap(({ word, outcome }) => {
    const amount = amounts[outcome]
    return amount > 0 ? [moveShares(holder, holder, ZERO_WORD, word, amount)] : []
  })
}
