import { keccak256 } from '../../lib/keccak.js'
import { START } from '../../upstreams/polygon/abi.js'
import { PROXY_FACTORY } from './roles.js'

const PROXY_CODE_HASH = 'd21df8dc65880a8606f09fe0ce3df9b8869287ab0b058be05aa9e8af6330a00b'
const ADDRESS_AT = START + 24

/** The wallet that the proxy factory makes for a key, whether it has made it yet or not. */
export function proxyWalletOf(owner: string): string {
  const salt = keccak256(owner).slice(START)
  const factory = PROXY_FACTORY.slice(START)
  return `0x${keccak256(`0xff${factory}${salt}${PROXY_CODE_HASH}`).slice(ADDRESS_AT)}`
}
