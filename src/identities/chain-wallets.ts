import type { Pool } from '../store/connection.js'
import type { PolygonClient } from '../upstreams/polygon/client.js'
import { CONTRACT_ADDRESSES } from '../upstreams/polygon/contracts.js'
import { PROXY_WALLET_CODE, readDepositOwner } from '../upstreams/polygon/wallet-addresses.js'
import type { CallOptions } from '../upstreams/transport/http.js'
import { deriveWallets, type IdentityWallet } from './identity.js'
import { selectAddressFacts, selectLoggedWallets } from './queries.js'

/** What the chain says about an address: the key that controls it, and the wallets of that key. */
export type ChainWallets = {
  /** `undefined`: the address is a contract whose key is not known. */
  owner: string | undefined
  wallets: IdentityWallet[]
  /** Whether anything happened here, or a wallet was made for it. */
  isKnown: boolean
}

export type ChainWalletDeps = {
  /** Its pool may be replaced: read `sql` at each use. */
  store: { readonly sql: Pool }
  /** Without a node, what is deployed is known from the logs of factories alone. */
  polygon: Pick<PolygonClient, 'getCodes'> | undefined
}

/** By a lower-case address. Throws `UpstreamError` when the node does not answer. */
export async function readChainWallets(
  { store, polygon }: ChainWalletDeps,
  address: string,
  call: CallOptions,
): Promise<ChainWallets> {
  // The platform's own contracts hold tokens, and are no wallets.
  if (CONTRACT_ADDRESSES.has(address)) return { owner: undefined, wallets: [], isKnown: false }
  const { owner, isNamed } = await selectAddressFacts(store.sql, address)
  if (polygon === undefined) {
    const key = owner ?? address
    const logged = await selectLoggedWallets(store.sql, deriveWallets(key).map(addressOf))
    return walletsOf(key, logged, isNamed)
  }
  const readKey = async (key: string) =>
    walletsOf(key, await readDeployed(polygon, deriveWallets(key).map(addressOf), call), isNamed)
  if (owner !== null) return readKey(owner)

  // Most often it is a key: its wallets are requested in the same call.
  const derived = deriveWallets(address).map(addressOf)
  const [code = '0x', ...codes] = await polygon.getCodes([address, ...derived], call)
  if (code === '0x') return walletsOf(address, deployedOf(derived, codes), isNamed)
  const key = readDepositOwner(code)
  const isOfKey = key !== undefined && deriveWallets(key).map(addressOf).includes(address)
  if (isOfKey) return readKey(key)
  // A contract of a factory whose log is not here, or of no factory of the platform.
  const type = code === PROXY_WALLET_CODE ? 'proxy' : null
  const wallets = [{ address, type, isDeployed: true } as const]
  return { owner: undefined, wallets, isKnown: isNamed || type !== null }
}

async function readDeployed(
  polygon: Pick<PolygonClient, 'getCodes'>,
  addresses: readonly string[],
  call: CallOptions,
): Promise<Set<string>> {
  return deployedOf(addresses, await polygon.getCodes(addresses, call))
}

const deployedOf = (addresses: readonly string[], codes: readonly string[]): Set<string> =>
  new Set(addresses.filter((_, index) => codes[index] !== '0x'))

function walletsOf(owner: string, deployed: ReadonlySet<string>, isNamed: boolean): ChainWallets {
  const wallets = deriveWallets(owner).map((wallet) => ({
    ...wallet,
    isDeployed: deployed.has(wallet.address),
  }))
  return { owner, wallets, isKnown: isNamed || deployed.size > 0 }
}

const addressOf = ({ address }: { address: string }): string => address
