import { address, bytes4, event, small, uint, word, words } from './event.js'

export const SAFE_FACTORY_EVENTS = [
  event('proxyCreation', '0x4f51faf6c4561ff95f067657e43439f0f856d97c04d9ec9070a6199ad418e235', {
    data: { proxy: address, owner: address },
  }),
] as const

export const RELAY_HUB_EVENTS = [
  event(
    'transactionRelayed',
    '0xab74390d395916d9e0006298d47938a5def5d367054dcca78fa6ec84381f3f22',
    {
      topics: { relay: address, from: address, to: address },
      data: { selector: bytes4, status: small, charge: uint },
    },
  ),
] as const

/** Redeems for wallets that allowed it; the contracts below name the redeemer, these name the wallet. */
export const AUTO_REDEEMER_EVENTS = [
  event('autoRedemption', '0xeebddeddf4ae1ee54a48517af27958e7666d69c7ba2e3e7c2b0ff87ef5f4491e', {
    topics: { from: address, positionId: word },
    data: { payout: uint },
  }),
  event(
    'autoBinaryRedemption',
    '0xb434294b5904213c83a167af0068ab82637c6fd4fac945e2abc74ed8d3f4d52a',
    { topics: { from: address, conditionId: word }, data: { payout: uint } },
  ),
  event(
    'autoNegRiskRedemption',
    '0x74a51ebefec30281ec6849b727ec7916f9b1a3e5e148d6771d98315215b38b96',
    { topics: { from: address, conditionId: word }, data: { payout: uint } },
  ),
] as const

/** Pools of the time before the order book. Their own logs come from addresses that only these name. */
export const FPMM_FACTORY_EVENTS = [
  event('fpmmCreation', '0x92e0912d3d7f3192cad5c7ae3b47fb97f9c465c1dd12a5c24fd901ddb3905f43', {
    topics: { creator: address, conditionalTokens: address, collateralToken: address },
    data: { fixedProductMarketMaker: address, conditionIds: words, fee: uint },
  }),
] as const
