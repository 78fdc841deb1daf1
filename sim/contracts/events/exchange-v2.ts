import { WORD } from '../addresses.js'
import type { LogBody } from '../log.js'
import { TOPIC } from '../topics.js'
import { type Word, word, ZERO_WORD } from '../words.js'

/** Exchanges V2 and V3 declare the same events. */
type FilledV2 = {
  exchange: string
  /** 0x and 64 hex digits. */
  orderHash: string
  maker: Word
  taker: Word
  sells: boolean
  token: Word
  makerAmount: number
  takerAmount: number
  fee: number
  builder: Word
}

export function orderFilledV2(filled: FilledV2): LogBody {
  return {
    address: filled.exchange,
    topics: [TOPIC.orderFilledV2, filled.orderHash, `0x${filled.maker}`, `0x${filled.taker}`],
    // The last word is the metadata of the order, which is unused.
    data: `0x${exchanged(filled)}${word(filled.fee)}${filled.builder}${ZERO_WORD}`,
  }
}

/** Repeats what the taker's own order says. */
export function ordersMatchedV2(filled: FilledV2): LogBody {
  return {
    address: filled.exchange,
    topics: [TOPIC.ordersMatchedV2, filled.orderHash, `0x${filled.maker}`],
    data: `0x${exchanged(filled)}`,
  }
}

export function feeChargedV2(exchange: string, amount: number): LogBody {
  return {
    address: exchange,
    topics: [TOPIC.feeChargedV2, `0x${WORD.feeReceiver}`],
    data: `0x${word(amount)}`,
  }
}

const BUY = word(0)
const SELL = word(1)

function exchanged(filled: FilledV2): string {
  const side = filled.sells ? SELL : BUY
  return side + filled.token + word(filled.makerAmount) + word(filled.takerAmount)
}
