import { address, event, uint } from './event.js'

export const ERC20_EVENTS = [
  event('erc20Transfer', '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef', {
    topics: { from: address, to: address },
    data: { amount: uint },
  }),
  event('erc20Approval', '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925', {
    topics: { owner: address, spender: address },
    data: { amount: uint },
  }),
] as const

export const PUSD_EVENTS = [
  ...ERC20_EVENTS,
  event('wrapped', '0xc00a5c84859ae82a7f5e6a2773283fb525335d5b3195f61174aa1ecc7e15dd84', {
    topics: { caller: address, asset: address, to: address },
    data: { amount: uint },
  }),
  event('unwrapped', '0x18b42b684d0b621cc609f4d888916e5ed9e934a476259ec1c11ec116f2b9aa7f', {
    topics: { caller: address, asset: address, to: address },
    data: { amount: uint },
  }),
  event('rescued', '0x3af790fafda720819b2fc6e15090606e81154e0ac9a92d38ecad006d99d20ecc', {
    topics: { asset: address, to: address },
    data: { amount: uint },
  }),
] as const
