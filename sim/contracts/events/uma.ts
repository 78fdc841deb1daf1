import { arrayArgument, encodeArguments, textArgument } from '../abi.js'
import { WORD } from '../addresses.js'
import type { LogBody } from '../log.js'
import { TOPIC } from '../topics.js'
import { utf8Hex, type Word, word } from '../words.js'

/** A question put to an optimistic oracle by one of its adapters. */
export type PriceRequest = {
  oracle: string
  requester: Word
  timestampSec: number
  ancillaryData: string
}

export const IDENTIFIER = utf8Hex('YES_OR_NO_QUERY').padEnd(64, '0')
const NOTHING = word(0)

export function requestPrice(request: PriceRequest): LogBody {
  return oracleLog(request, [TOPIC.requestPrice], [WORD.usdce, NOTHING, NOTHING])
}

/** `price` is the int256 word of the answer. */
export function proposePrice(
  request: PriceRequest,
  proposer: Word,
  price: Word,
  expirationSec: number,
): LogBody {
  const rest = [price, word(expirationSec), WORD.usdce]
  return oracleLog(request, [TOPIC.proposePrice, proposer], rest)
}

export function disputePrice(request: PriceRequest, proposer: Word, disputer: Word, price: Word): LogBody {
  return oracleLog(request, [TOPIC.disputePrice, proposer, disputer], [price])
}

export function settle(request: PriceRequest, proposer: Word, disputer: Word, price: Word): LogBody {
  return oracleLog(request, [TOPIC.settle, proposer, disputer], [price, NOTHING])
}

export function questionInitialized(
  adapter: string,
  questionId: string,
  timestampSec: number,
  creator: Word,
  ancillaryData: string,
  bond: number,
): LogBody {
  const args = [textArgument(ancillaryData), WORD.usdce, NOTHING, word(bond)]
  return {
    address: adapter,
    topics: [TOPIC.questionInitialized, questionId, `0x${word(timestampSec)}`, `0x${creator}`],
    data: `0x${encodeArguments(args)}`,
  }
}

export function questionReset(adapter: string, questionId: string): LogBody {
  return { address: adapter, topics: [TOPIC.questionReset, questionId], data: '0x' }
}

export function questionResolved(
  adapter: string,
  questionId: string,
  price: Word,
  payouts: readonly number[],
): LogBody {
  return {
    address: adapter,
    topics: [TOPIC.questionResolved, questionId, `0x${price}`],
    data: `0x${encodeArguments([arrayArgument(payouts.map(word))])}`,
  }
}

/** All logs of the oracle begin alike: the requester, then identifier, time and text. */
function oracleLog(
  request: PriceRequest,
  [topic, ...parties]: readonly [string, ...Word[]],
  rest: readonly Word[],
): LogBody {
  const args = [IDENTIFIER, word(request.timestampSec), textArgument(request.ancillaryData), ...rest]
  return {
    address: request.oracle,
    topics: [topic, `0x${request.requester}`, ...parties.map((party) => `0x${party}`)],
    data: `0x${encodeArguments(args)}`,
  }
}
