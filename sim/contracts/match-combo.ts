import assert from 'node:assert'
import type { Fill, Match } from '../universe/acts.js'
import type { Combo } from '../universe/market.js'
import { ADDRESS, WORD } from './addresses.js'
import { moduleOf } from './combos.js'
import { movePusd } from './events/erc20.js'
import { transferBatch, transferSingle } from './events/erc1155.js'
import { positionsMerged, positionsSplit } from './events/modules.js'
import { chargedFee, makerFeesOf, makerFilled, setsOf, takerFilled } from './fills.js'
import type { LogBody } from './log.js'
import { type Word, ZERO_WORD } from './words.js'

const EXCHANGE = WORD.exchangeV3

/**
 * Exchange V3 works like V2, with two differences that show: positions are minted and merged by a
 * module that burns and mints pUSD itself, and when that happens the logs of the resting orders come
 * while their assets are collected.
 */
export function encodeMatchCombo(match: Match): LogBody[] {
  const takerBuys = buys(match.taker)
  if (setsOf(match) > 0) {
    return takerBuys ? buyThroughExchange(match) : sellThroughExchange(match)
  }
  if (takerBuys) return buyFromWallets(match)
  return match.taker.fee + makerFeesOf(match) > 0 ? sellWithFees(match) : sellWithoutFees(match)
}

function buyFromWallets(match: Match): LogBody[] {
  const { taker } = match
  const buyer = taker.order.wallet.word
  return [
    ...match.makers.flatMap((maker) => [
      move(maker, maker.order.wallet.word, buyer),
      movePusd(buyer, maker.order.wallet.word, maker.usd - maker.fee),
      filled(maker, match),
      ...charged(maker),
    ]),
    ...charged(taker),
    ...payFees(match, buyer),
    ...ending(match),
  ]
}

function sellWithoutFees(match: Match): LogBody[] {
  const seller = match.taker.order.wallet.word
  return [
    ...match.makers.flatMap((maker) => [
      move(maker, seller, maker.order.wallet.word),
      movePusd(maker.order.wallet.word, seller, maker.usd),
      filled(maker, match),
    ]),
    ...ending(match),
  ]
}

function sellWithFees(match: Match): LogBody[] {
  const { taker } = match
  const seller = taker.order.wallet.word
  return [
    ...match.makers.flatMap((maker) => [
      filled(maker, match),
      movePusd(maker.order.wallet.word, EXCHANGE, maker.usd + maker.fee),
      move(maker, seller, maker.order.wallet.word),
      ...charged(maker),
    ]),
    movePusd(EXCHANGE, seller, taker.usd - taker.fee),
    ...charged(taker),
    ...payFees(match, EXCHANGE),
    ...ending(match),
  ]
}

function buyThroughExchange(match: Match): LogBody[] {
  const { taker } = match
  const buyer = taker.order.wallet.word
  return [
    movePusd(buyer, EXCHANGE, taker.usd + taker.fee),
    ...match.makers.flatMap((maker) => [
      buys(maker)
        ? movePusd(maker.order.wallet.word, EXCHANGE, maker.usd + maker.fee)
        : move(maker, maker.order.wallet.word, EXCHANGE),
      filled(maker, match),
    ]),
    ...splitSets(comboOf(match), setsOf(match)),
    ...match.makers.flatMap((maker) => [
      buys(maker)
        ? move(maker, EXCHANGE, maker.order.wallet.word)
        : movePusd(EXCHANGE, maker.order.wallet.word, maker.usd - maker.fee),
      ...charged(maker),
    ]),
    move(taker, EXCHANGE, buyer),
    ...payFees(match, EXCHANGE),
    ...charged(taker),
    ...ending(match),
  ]
}

function sellThroughExchange(match: Match): LogBody[] {
  const { taker } = match
  const seller = taker.order.wallet.word
  const sets = setsOf(match)
  const module = WORD[moduleOf(taker.order.token.word)]
  return [
    ...match.makers.flatMap((maker) => [
      buys(maker)
        ? movePusd(maker.order.wallet.word, EXCHANGE, maker.usd + maker.fee)
        : move(maker, maker.order.wallet.word, module),
      filled(maker, match),
    ]),
    moveAmount(taker, seller, module, sets),
    ...mergeSets(comboOf(match), sets),
    ...match.makers.flatMap((maker) => [
      buys(maker)
        ? move(maker, seller, maker.order.wallet.word)
        : movePusd(EXCHANGE, maker.order.wallet.word, maker.usd - maker.fee),
      ...charged(maker),
    ]),
    movePusd(EXCHANGE, seller, taker.usd - taker.fee),
    ...payFees(match, EXCHANGE),
    ...charged(taker),
    ...ending(match),
  ]
}

function splitSets({ conditionId, tokens }: Combo, amount: number): LogBody[] {
  const contract = ADDRESS.positionManager
  const name = moduleOf(tokens[0].word)
  const module = WORD[name]
  return [
    movePusd(EXCHANGE, module, amount),
    transferSingle(contract, module, ZERO_WORD, EXCHANGE, tokens[0].word, amount),
    transferSingle(contract, module, ZERO_WORD, EXCHANGE, tokens[1].word, amount),
    movePusd(module, ZERO_WORD, amount),
    positionsSplit(ADDRESS[name], EXCHANGE, conditionId, [EXCHANGE, EXCHANGE], amount),
  ]
}

/** The combinatorial module burns both outcomes at once, the binary one after the other. */
function mergeSets({ conditionId, tokens }: Combo, amount: number): LogBody[] {
  const contract = ADDRESS.positionManager
  const name = moduleOf(tokens[0].word)
  const module = WORD[name]
  const words = tokens.map(({ word }) => word)
  const burns =
    name === 'binaryModule'
      ? words.map((word) => transferSingle(contract, module, module, ZERO_WORD, word, amount))
      : [transferBatch(contract, module, module, ZERO_WORD, words, [amount, amount])]
  return [
    movePusd(ZERO_WORD, EXCHANGE, amount),
    ...burns,
    positionsMerged(ADDRESS[name], EXCHANGE, conditionId, EXCHANGE, amount),
  ]
}

function payFees(match: Match, payer: Word): LogBody[] {
  const fees = match.taker.fee + makerFeesOf(match)
  return fees > 0 ? [movePusd(payer, WORD.feeReceiver, fees)] : []
}

function move(fill: Fill, from: Word, to: Word): LogBody {
  return moveAmount(fill, from, to, fill.shares)
}

function moveAmount({ order }: Fill, from: Word, to: Word, amount: number): LogBody {
  return transferSingle(ADDRESS.positionManager, EXCHANGE, from, to, order.token.word, amount)
}

function buys({ order }: Fill): boolean {
  return order.side === 'BUY'
}

function filled(maker: Fill, match: Match): LogBody {
  return makerFilled(ADDRESS.exchangeV3, maker, match)
}

function charged(fill: Fill): LogBody[] {
  return chargedFee(ADDRESS.exchangeV3, fill)
}

function ending(match: Match): LogBody[] {
  return takerFilled(ADDRESS.exchangeV3, EXCHANGE, match)
}

function comboOf({ of }: Match): Combo {
  assert(of.kind === 'combo', 'exchange V3 trades combos')
  return of
}
