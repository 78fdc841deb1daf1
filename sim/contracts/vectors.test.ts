import { describe, expect, test } from 'vitest'
import {
  conditionPreparation,
  conditionResolution,
  payoutRedemption,
  positionSplit,
  positionsMerge,
} from './events/ctf.js'
import { transfer, unwrapped } from './events/erc20.js'
import { transferBatch, transferSingle } from './events/erc1155.js'
import { orderFilledV1, ordersMatchedV1, tokenRegistered } from './events/exchange-v1.js'
import { orderFilledV2, ordersMatchedV2 } from './events/exchange-v2.js'
import { negRiskMerge, negRiskRedemption, negRiskSplit, positionsConverted } from './events/neg-risk.js'
import vectors from './fixtures/chain-vectors.json' with { type: 'json' }
import type { LogBody } from './log.js'
import { TOPIC } from './topics.js'
import { addressWord, word } from './words.js'

describe('real logs come out byte for byte', () => {
  test.each(vectors.logs)('$id', (vector) => {
    const { address, topics, data, decoded } = vector
    const encode = ENCODERS[topics[0] ?? '']
    const log = encode?.(new Fields(decoded), address)
    expect(log).toEqual({ address, topics, data })
  })
})

/** Typed access to the decoded fields of a vector. */
class Fields {
  readonly #fields: Record<string, unknown>

  constructor(fields: Record<string, unknown>) {
    this.#fields = fields
  }

  text(name: string): string {
    return String(this.#fields[name])
  }

  party(name: string): string {
    return addressWord(this.text(name))
  }

  id(name: string): string {
    return word(BigInt(this.text(name)))
  }

  bytes(name: string): string {
    return this.text(name).slice(2)
  }

  amount(name: string): number {
    return Number(this.#fields[name])
  }

  list(name: string): string[] {
    return this.#fields[name] as string[]
  }
}

const ENCODERS: Record<string, (fields: Fields, address: string) => LogBody> = {
  [TOPIC.transfer]: (f, address) => transfer(address, f.party('from'), f.party('to'), f.amount('value')),
  [TOPIC.transferSingle]: (f, address) =>
    transferSingle(
      address,
      f.party('operator'),
      f.party('from'),
      f.party('to'),
      f.id('id'),
      f.amount('value'),
    ),
  [TOPIC.transferBatch]: (f, address) =>
    transferBatch(
      address,
      f.party('operator'),
      f.party('from'),
      f.party('to'),
      f.list('ids').map((id) => word(BigInt(id))),
      f.list('values').map(Number),
    ),
  [TOPIC.conditionPreparation]: (f) =>
    conditionPreparation(f.text('conditionId'), f.party('oracle'), f.text('questionId')),
  [TOPIC.conditionResolution]: (f) =>
    conditionResolution(
      f.text('conditionId'),
      f.party('oracle'),
      f.text('questionId'),
      f.list('payoutNumerators').map(Number),
    ),
  [TOPIC.positionSplit]: (f) =>
    positionSplit(
      f.party('stakeholder'),
      f.party('collateralToken'),
      f.text('conditionId'),
      f.amount('amount'),
    ),
  [TOPIC.positionsMerge]: (f) =>
    positionsMerge(
      f.party('stakeholder'),
      f.party('collateralToken'),
      f.text('conditionId'),
      f.amount('amount'),
    ),
  [TOPIC.payoutRedemption]: (f) =>
    payoutRedemption(
      f.party('redeemer'),
      f.party('collateralToken'),
      f.text('conditionId'),
      f.amount('payout'),
    ),
  [TOPIC.orderFilledV1]: (f, exchange) => orderFilledV1(filledV1(f, exchange, 'orderHash')),
  [TOPIC.ordersMatchedV1]: (f, exchange) => ordersMatchedV1(filledV1(f, exchange, 'takerOrderHash')),
  [TOPIC.orderFilledV2]: (f, exchange) => orderFilledV2(filledV2(f, exchange, 'orderHash')),
  [TOPIC.ordersMatchedV2]: (f, exchange) => ordersMatchedV2(filledV2(f, exchange, 'takerOrderHash')),
  [TOPIC.tokenRegistered]: (f, exchange) =>
    tokenRegistered(exchange, f.id('token0'), f.id('token1'), f.text('conditionId')),
  [TOPIC.unwrapped]: (f) => unwrapped(f.party('caller'), f.party('to'), f.amount('amount')),
  [TOPIC.negRiskSplit]: (f) =>
    negRiskSplit(f.party('stakeholder'), f.text('conditionId'), f.amount('amount')),
  [TOPIC.negRiskMerge]: (f) =>
    negRiskMerge(f.party('stakeholder'), f.text('conditionId'), f.amount('amount')),
  [TOPIC.negRiskRedemption]: (f) =>
    negRiskRedemption(
      f.party('redeemer'),
      f.text('conditionId'),
      f.list('amounts').map(Number),
      f.amount('payout'),
    ),
  [TOPIC.positionsConverted]: (f) =>
    positionsConverted(f.party('stakeholder'), f.text('marketId'), f.amount('indexSet'), f.amount('amount')),
}

function filledV1(f: Fields, exchange: string, hash: string) {
  const isFill = hash === 'orderHash'
  return {
    exchange,
    orderHash: f.text(hash),
    maker: f.party(isFill ? 'maker' : 'takerOrderMaker'),
    taker: isFill ? f.party('taker') : '',
    makerAsset: f.id('makerAssetId'),
    takerAsset: f.id('takerAssetId'),
    makerAmount: f.amount('makerAmountFilled'),
    takerAmount: f.amount('takerAmountFilled'),
    fee: isFill ? f.amount('fee') : 0,
  }
}

function filledV2(f: Fields, exchange: string, hash: string) {
  const isFill = hash === 'orderHash'
  return {
    exchange,
    orderHash: f.text(hash),
    maker: f.party(isFill ? 'maker' : 'takerOrderMaker'),
    taker: isFill ? f.party('taker') : '',
    sells: f.amount('side') === 1,
    token: f.id('tokenId'),
    makerAmount: f.amount('makerAmountFilled'),
    takerAmount: f.amount('takerAmountFilled'),
    fee: isFill ? f.amount('fee') : 0,
    builder: isFill ? f.bytes('builder') : '',
  }
}
