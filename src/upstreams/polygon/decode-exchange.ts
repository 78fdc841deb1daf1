import { START, uintAt, ZERO_WORD } from './abi.js'
import { fill, fillV1, ordersMatched, ordersMatchedV1 } from './decode-fill.js'
import { address, event, handwritten, uint, word } from './event.js'
import type { LogPlace } from './log.js'
import { topicAddress } from './topics.js'

export type FeeCharged = {
  kind: 'feeCharged'
  at: LogPlace
  receiver: string
  /** Zero: the fee is in money. Only generation 1 takes shares. */
  tokenId: string
  amount: bigint
}

const feeChargedV1 = event(
  'feeCharged',
  '0xacffcc86834d0f1a64b0d5a675798deed6ff0bcfc2231edd3480e7288dba7ff4',
  { topics: { receiver: address }, data: { tokenId: word, amount: uint } },
)

const feeCharged = handwritten<FeeCharged>(
  'feeCharged',
  '0x55bb3cade9d43b798a4fe5ffdd05024b2d7870df53920673bfc7e68047cd0ab1',
  { indexed: 1, words: 1 },
  ({ at, topics, data }) => ({
    kind: 'feeCharged',
    at,
    receiver: topicAddress(topics[1]),
    tokenId: ZERO_WORD,
    amount: uintAt(data, START),
  }),
)

export const EXCHANGE_V1_EVENTS = [
  fillV1,
  ordersMatchedV1,
  feeChargedV1,
  event('orderCancelled', '0x5152abf959f6564662358c2e52b702259b78bac5ee7842a0f01937e670efcc7d', {
    topics: { orderHash: word },
  }),
  // Comes twice for each pair, with the tokens swapped.
  event('tokenRegistered', '0xbc9a2432e8aeb48327246cddd6e872ef452812b4243c04e6bfb786a2cd8faf0d', {
    topics: { token0: word, token1: word, conditionId: word },
  }),
] as const

export const EXCHANGE_EVENTS = [
  fill,
  ordersMatched,
  feeCharged,
  event('orderPreapproved', '0xe92c22722d9c284034b6c9f5aaec018edb3e593c0e084900b6b9d390a1182a0b', {
    topics: { orderHash: word },
  }),
  event(
    'orderPreapprovalInvalidated',
    '0xb766aa470f20b094f26a9a14ea5bf63a60af51703c15776e2e739b6a0428adf6',
    { topics: { orderHash: word } },
  ),
  event('userPaused', '0xa3e76126f19eb25001b29726d2a9502b6377938633d2d6a955107dd442e7a14a', {
    topics: { user: address },
    data: { effectivePauseBlock: uint },
  }),
  event('userUnpaused', '0x1419d4111b5c8636aecff843bf618525f4f8e1aa6898a14357021d68dde8af12', {
    topics: { user: address },
  }),
  event('tradingPaused', '0x203c4bd3e526634f661575359ff30de3b0edaba6c2cb1eac60f730b6d2d9d536', {
    topics: { pauser: address },
  }),
  event('tradingUnpaused', '0xa1e8a54850dbd7f520bcc09f47bff152294b77b2081da545a7adf531b7ea283b', {
    topics: { pauser: address },
  }),
  event(
    'feeReceiverUpdated',
    '0x27aae5db36d94179909d019ae0b1ac7c16d96d953148f63c0f6a0a9c8ead79ee',
    { topics: { feeReceiver: address } },
  ),
  event('maxFeeRateUpdated', '0xe380d7c3967dd06cc7c01db8b17332a1d806fd18f63206dcbd12aaef455c7ff2', {
    data: { maxFeeRate: uint },
  }),
] as const

export const FEE_MODULE_EVENTS = [
  event('feeRefunded', '0xb608d2bf25d8b4b744ba23ce2ea9802ea955e216c064a62f42152fbf98958d24', {
    topics: { orderHash: word, to: address, feeCharged: uint },
    data: { id: word, refund: uint },
  }),
  event('feeWithdrawn', '0x6ce49f8691a80db5eb4f60cd55b14640529346a7ddf9bf8f77a423fa6a10bfdb', {
    data: { token: address, to: address, id: word, amount: uint },
  }),
] as const
