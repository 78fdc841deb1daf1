import type { WalletKind } from '../universe/wallet.js'
import { ADDRESS, WORD } from './addresses.js'
import { keccak } from './keccak.js'
import { addressWord, type Word } from './words.js'

const PROXY_CODE_HASH = 'd21df8dc65880a8606f09fe0ce3df9b8869287ab0b058be05aa9e8af6330a00b'
const SAFE_CODE_HASH = '2bce2127ff07fb632d16c8347c4ebf501f4841168bed00d9e6ef715ddb6fcecf'

// Creation code of a beacon proxy with 64 bytes of arguments (0x40 in the third byte) after it.
const BEACON_PROXY_CODE =
  `6100923d8160233d3973${ADDRESS.depositWalletBeacon.slice(2)}` +
  '60195155f3363d3d373d3d363d602036600436635c60da' +
  '1b60e01b36527fa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6c' +
  'b3582b35133d50545afa5036515af43d6000803e604d573d6000fd5b3d6000f3'

// The same for a wallet with an implementation of its own, which the factory made at first.
const ERC1967_PROXY_CODE =
  `61007d3d8160233d3973${ADDRESS.depositWalletImplementation.slice(2)}6009` +
  '5155f3363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076' +
  'cc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3'

/** Every sixteenth owner came when the factory still made the first form of deposit wallets. */
export const hasFirstForm = (owner: string): boolean => owner.endsWith('0')

/** The address that holds the money of a trader whose key is `owner`. */
export function walletAddress(kind: WalletKind, owner: string): string {
  switch (kind) {
    case 'eoa':
      return owner
    case 'proxy':
      return create2(ADDRESS.proxyFactory, keccak(owner.slice(2)), PROXY_CODE_HASH)
    case 'safe':
      return create2(ADDRESS.safeFactory, keccak(addressWord(owner)), SAFE_CODE_HASH)
    case 'deposit':
      return depositWalletAddress(owner)
  }
}

export function depositWalletAddress(owner: string, isFirstForm = hasFirstForm(owner)): string {
  const args = WORD.depositWalletFactory + addressWord(owner)
  const code = isFirstForm ? ERC1967_PROXY_CODE : BEACON_PROXY_CODE
  return create2(ADDRESS.depositWalletFactory, keccak(args), keccak(code + args))
}

function create2(deployer: string, salt: Word, codeHash: Word): string {
  return `0x${keccak(`ff${deployer.slice(2)}${salt}${codeHash}`).slice(24)}`
}
