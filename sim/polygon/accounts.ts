import { ADDRESS, type ContractName, WORD } from '../contracts/addresses.js'
import { addressWord } from '../contracts/words.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import { derive, deriveBelow, quantity } from './hex.js'

const PROXY_IMPLEMENTATION = '44e999d5c2f66ef0861317f9a4805ac2e90aeb4f'
const SAFE_SINGLETON = 'e51abdf814f8854941b9fe8e3a4f65cab4e7a4a8'
const BEACON_PROXY = [
  '363d3d373d3d363d602036600436635c60da1b60e01b36527fa3f0ad74e5423aebfd80d3ef434657',
  '8335a9a72aeaee59ff6cb3582b35133d50545afa5036515af43d6000803e604d573d6000fd5b3d6000f3',
].join('')
const MILLI_POL_WEI = 1_000_000_000_000_000n

/** Known addresses that have a key and no code. */
const KEYS: readonly ContractName[] = ['feeReceiver', 'negRiskBurn', 'questionCreator', 'relay']
const CONTRACTS: ReadonlySet<string> = new Set(
  Object.entries(ADDRESS).flatMap(([name, address]) =>
    KEYS.includes(name as ContractName) ? [] : [address],
  ),
)

/** What `eth_getCode` returns: 0x for an address without code. */
export function codeOf(universe: Universe, address: string): string {
  if (CONTRACTS.has(address)) return `0x6080604052${derive(address, 'code').slice(2)}00`
  const wallet = universe.walletByAddress(address)
  return wallet === undefined || wallet.createdMs > universe.nowMs ? '0x' : walletCode(wallet)
}

/** Only people who sign their own transactions hold the coin of the chain. */
export function balanceWeiOf(universe: Universe, address: string): string {
  if (CONTRACTS.has(address)) return '0x0'
  const wallet = universe.walletByAddress(address)
  if (wallet !== undefined && wallet.kind !== 'eoa') return '0x0'
  return quantity(BigInt(deriveBelow(address, 'balance', 90_000)) * MILLI_POL_WEI)
}

function walletCode({ kind, owner }: Wallet): string {
  switch (kind) {
    case 'eoa':
      return '0x'
    case 'proxy':
      return `0x363d3d373d3d3d363d73${PROXY_IMPLEMENTATION}5af43d82803e903d91602b57fd5bf3`
    case 'safe':
      return `0x608060405273ffffffffffffffffffffffffffffffffffffffff6000541673${SAFE_SINGLETON}`
    case 'deposit':
      // The factory and the owner are appended to the code as constructor arguments.
      return `0x${BEACON_PROXY}${WORD.depositWalletFactory}${addressWord(owner)}`
  }
}
