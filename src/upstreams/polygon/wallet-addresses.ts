import assert from 'node:assert'
import { keccak256 } from '../../lib/keccak.js'
import { CONTRACTS, type ContractRole } from './contracts.js'

/**
 * The platform's factories create the wallet of a key by CREATE2, so its address follows from that of
 * the key. The way back is a log of the factory, or the code of a deposit wallet. All addresses are
 * lower-case.
 */
const SAFE_CODE_HASH = '2bce2127ff07fb632d16c8347c4ebf501f4841168bed00d9e6ef715ddb6fcecf'
const PROXY_CODE_HASH = 'd21df8dc65880a8606f09fe0ce3df9b8869287ab0b058be05aa9e8af6330a00b'

const DEPOSIT_BEACON = '7a18edfe055488a3128f01f563e5b479d92ffc3a'
const DEPOSIT_IMPLEMENTATION = '58ca52ebe0dadfdf531cde7062e76746de4db1eb'

/** Creation codes of deposit wallets. The third byte counts the 64 bytes of arguments after them. */
const BEACON_CODE =
  `6100923d8160233d3973${DEPOSIT_BEACON}60195155f3363d3d373d3d363d602036600436635c60da` +
  '1b60e01b36527fa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6c' +
  'b3582b35133d50545afa5036515af43d6000803e604d573d6000fd5b3d6000f3'
const ERC1967_CODE =
  `61007d3d8160233d3973${DEPOSIT_IMPLEMENTATION}6009` +
  '5155f3363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076' +
  'cc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3'

/** What the proxy factory deploys: a call of its implementation, and nothing else. */
export const PROXY_WALLET_CODE =
  '0x363d3d373d3d3d363d7344e999d5c2f66ef0861317f9a4805ac2e90aeb4f5af43d82803e903d91602b57fd5bf3'

export const deriveSafe = (owner: string): string =>
  create2(SAFE_FACTORY, keccak256(`0x${toWord(owner)}`), SAFE_CODE_HASH)

export const deriveProxyWallet = (owner: string): string =>
  create2(PROXY_FACTORY, keccak256(owner), PROXY_CODE_HASH)

/** There are two forms. The older one is first: where it is deployed, the owner uses it. */
export function deriveDepositWallets(owner: string): [older: string, current: string] {
  const args = depositArgs(owner)
  const salt = keccak256(`0x${args}`)
  const derive = (code: string) => create2(DEPOSIT_FACTORY, salt, keccak256(`0x${code}${args}`).slice(2))
  return [derive(ERC1967_CODE), derive(BEACON_CODE)]
}

/** The owner of a deposit wallet by its code. `undefined`: it is the code of something else. */
export function readDepositOwner(code: string): string | undefined {
  const owner = `0x${code.slice(-40)}`
  return code.endsWith(depositArgs(owner)) ? owner : undefined
}

const depositArgs = (owner: string): string => toWord(DEPOSIT_FACTORY) + toWord(owner)

const toWord = (address: string): string => address.slice(2).padStart(64, '0')

const create2 = (factory: string, salt: string, codeHash: string): string =>
  `0x${keccak256(`0xff${factory.slice(2)}${salt.slice(2)}${codeHash}`).slice(26)}`

const SAFE_FACTORY = addressOf('safeFactory')
const PROXY_FACTORY = addressOf('proxyFactory')
const DEPOSIT_FACTORY = addressOf('depositFactory')

function addressOf(role: ContractRole): string {
  const contract = CONTRACTS.find((each) => each.role === role)
  assert(contract !== undefined, `${role} is a known contract`)
  return contract.address
}
