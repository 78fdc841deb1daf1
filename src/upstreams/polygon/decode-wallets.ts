import { START } from './abi.js'
import { address, bytes4, event, handwritten, small, uint, word, words } from './event.js'
import type { LogReader } from './fast/log-reader.js'
import type { LogPosition } from './log.js'

const erc20Transfer = handwritten(
  'erc20Transfer',
  '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  { indexed: 2, words: 1 },
  (log, at) => ({
    kind: 'erc20Transfer' as const,
    at,
    from: log.topicAddress(1),
    to: log.topicAddress(2),
    amount: log.uint(START),
  }),
)

const wrapped = handwritten(
  'wrapped',
  '0xc00a5c84859ae82a7f5e6a2773283fb525335d5b3195f61174aa1ecc7e15dd84',
  { indexed: 3, words: 1 },
  (log, at) => toWrapping('wrapped', log, at),
)

const unwrapped = handwritten(
  'unwrapped',
  '0x18b42b684d0b621cc609f4d888916e5ed9e934a476259ec1c11ec116f2b9aa7f',
  { indexed: 3, words: 1 },
  (log, at) => toWrapping('unwrapped', log, at),
)

export const ERC20_EVENTS = [
  erc20Transfer,
  event('erc20Approval', '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925', {
    topics: { owner: address, spender: address },
    data: { amount: uint },
  }),
] as const

export const PUSD_EVENTS = [
  ...ERC20_EVENTS,
  wrapped,
  unwrapped,
  event('rescued', '0x3af790fafda720819b2fc6e15090606e81154e0ac9a92d38ecad006d99d20ecc', {
    topics: { asset: address, to: address },
    data: { amount: uint },
  }),
] as const

/** Another asset became pUSD, or pUSD became another asset. */
function toWrapping<const Kind extends string>(kind: Kind, log: LogReader, at: LogPosition) {
  return {
    kind,
    at,
    caller: log.topicAddress(1),
    asset: log.topicAddress(2),
    to: log.topicAddress(3),
    amount: log.uint(START),
  }
}

export const SAFE_FACTORY_EVENTS = [
  event('proxyCreation', '0x4f51faf6c4561ff95f067657e43439f0f856d97c04d9ec9070a6199ad418e235', {
    data: { proxy: address, owner: address },
  }),
] as const

export const RELAY_HUB_EVENTS = [
  event('transactionRelayed', '0xab74390d395916d9e0006298d47938a5def5d367054dcca78fa6ec84381f3f22', {
    topics: { relay: address, from: address, to: address },
    data: { selector: bytes4, status: small, charge: uint },
  }),
] as const

/** It redeems for wallets that allowed it. Its events name the wallet, those of the token contracts name the redeemer. */
export const AUTO_REDEEMER_EVENTS = [
  event('autoRedemption', '0xeebddeddf4ae1ee54a48517af27958e7666d69c7ba2e3e7c2b0ff87ef5f4491e', {
    topics: { from: address, positionId: word },
    data: { payout: uint },
  }),
  event('autoBinaryRedemption', '0xb434294b5904213c83a167af0068ab82637c6fd4fac945e2abc74ed8d3f4d52a', {
    topics: { from: address, conditionId: word },
    data: { payout: uint },
  }),
  event('autoNegRiskRedemption', '0x74a51ebefec30281ec6849b727ec7916f9b1a3e5e148d6771d98315215b38b96', {
    topics: { from: address, conditionId: word },
    data: { payout: uint },
  }),
] as const

/** Pools of the time before the order book. Only this event names the addresses that emit their logs. */
export const FPMM_FACTORY_EVENTS = [
  event('fpmmCreation', '0x92e0912d3d7f3192cad5c7ae3b47fb97f9c465c1dd12a5c24fd901ddb3905f43', {
    topics: { creator: address, conditionalTokens: address, collateralToken: address },
    data: { fixedProductMarketMaker: address, conditionIds: words, fee: uint },
  }),
] as const
