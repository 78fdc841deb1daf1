import type { LogBody } from '../log.js'
import { TOPIC } from '../topics.js'
import { type Word, word } from '../words.js'

/** An asset is a token, or the zero word for the collateral. */
export type FilledV1 = {
  exchange: string
  /** 0x and 64 hex digits. */
  orderHash: string
  maker: Word
  taker: Word
  makerAsset: Word
  takerAsset: Word
  makerAmount: number
  takerAmount: number
  fee: number
}

export function orderFilledV1(filled: FilledV1): LogBody {
  return {
    address: filled.exchange,
    topics: [TOPIC.orderFilledV1, filled.orderHash, `0x${filled.maker}`, `0x${filled.taker}`],
    data: `0x${exchanged(filled)}${word(filled.fee)}`,
  }
}

/** Repeats what the taker's own order says. */
export function ordersMatchedV1(filled: Omit<FilledV1, 'taker' | 'fee'>): LogBody {
  return {
    address: filled.exchange,
    topics: [TOPIC.ordersMatchedV1, filled.orderHash, `0x${filled.maker}`],
    data: `0x${exchanged(filled)}`,
  }
}

export function feeChargedV1(exchange: string, receiver: Word, asset: Word, amount: number): LogBody {
  return {
    address: exchange,
    topics: [TOPIC.feeChargedV1, `0x${receiver}`],
    data: `0x${asset}${word(amount)}`,
  }
}

/** `charged` is what the order pays in the end: the fee of its fill less the refund. */
export function feeRefunded(
  feeModule: string,
  orderHash: string,
  to: Word,
  asset: Word,
  refund: number,
  charged: number,
): LogBody {
  return {
    address: feeModule,
    topics: [TOPIC.feeRefunded, orderHash, `0x${to}`, `0x${word(charged)}`],
    data: `0x${asset}${word(refund)}`,
  }
}

export function tokenRegistered(
  exchange: string,
  token: Word,
  complement: Word,
  conditionId: string,
): LogBody {
  return {
    address: exchange,
    topics: [TOPIC.tokenRegistered, `0x${token}`, `0x${complement}`, conditionId],
    data: '0x',
  }
}

function exchanged(filled: Omit<FilledV1, 'taker' | 'fee'>): string {
  return filled.makerAsset + filled.takerAsset + word(filled.makerAmount) + word(filled.takerAmount)
}
