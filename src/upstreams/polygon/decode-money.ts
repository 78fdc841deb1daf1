import { START, uintAt } from './abi.js'
import { address, event, handwritten, uint } from './event.js'
import type { ChainLog, LogPlace } from './log.js'
import { topicAddress } from './topics.js'

type Erc20Transfer = {
  kind: 'erc20Transfer'
  at: LogPlace
  from: string
  to: string
  amount: bigint
}

/** Another asset became pUSD, or pUSD became another asset. */
type Wrapping<Kind extends string> = {
  kind: Kind
  at: LogPlace
  caller: string
  asset: string
  to: string
  amount: bigint
}

const erc20Transfer = handwritten<Erc20Transfer>(
  'erc20Transfer',
  '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  { indexed: 2, words: 1 },
  ({ at, topics, data }) => ({
    kind: 'erc20Transfer',
    at,
    from: topicAddress(topics[1]),
    to: topicAddress(topics[2]),
    amount: uintAt(data, START),
  }),
)

const wrapped = handwritten<Wrapping<'wrapped'>>(
  'wrapped',
  '0xc00a5c84859ae82a7f5e6a2773283fb525335d5b3195f61174aa1ecc7e15dd84',
  { indexed: 3, words: 1 },
  (log) => toWrapping('wrapped', log),
)

const unwrapped = handwritten<Wrapping<'unwrapped'>>(
  'unwrapped',
  '0x18b42b684d0b621cc609f4d888916e5ed9e934a476259ec1c11ec116f2b9aa7f',
  { indexed: 3, words: 1 },
  (log) => toWrapping('unwrapped', log),
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

function toWrapping<Kind extends string>(
  kind: Kind,
  { at, topics, data }: ChainLog,
): Wrapping<Kind> {
  return {
    kind,
    at,
    caller: topicAddress(topics[1]),
    asset: topicAddress(topics[2]),
    to: topicAddress(topics[3]),
    amount: uintAt(data, START),
  }
}
