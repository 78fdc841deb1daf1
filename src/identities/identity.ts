import { deriveDepositWallets, deriveProxyWallet, deriveSafe } from '../upstreams/polygon/wallet-addresses.js'

/** The kinds of wallets that the platform's factories make for a key. */
export type WalletType = 'deposit_wallet' | 'safe' | 'proxy'

/** `type` is null for a key that trades itself, and for a contract that no known factory made. */
export type IdentityWallet = { address: string; type: WalletType | null; isDeployed: boolean }

/** Who trades: a key, its wallets, and the one of them that it uses now. Addresses are lower-case. */
export type Identity = {
  /** The key; `undefined`: it is not known. */
  owner: string | undefined
  current: IdentityWallet
  /** Deployed wallets other than the current one. */
  others: IdentityWallet[]
  username: string | undefined
}

/** The four wallets that a key can have, those that it would rather use first. */
export function deriveWallets(owner: string): Omit<IdentityWallet, 'isDeployed'>[] {
  return [
    ...deriveDepositWallets(owner).map((address) => ({ address, type: 'deposit_wallet' as const })),
    { address: deriveSafe(owner), type: 'safe' },
    { address: deriveProxyWallet(owner), type: 'proxy' },
  ]
}

/**
 * The wallet that a key uses: a deposit wallet that is deployed; else the requested wallet, a
 * deployed one first; else any other that is deployed, in the order of `deriveWallets`. `undefined`: none
 * is deployed, and the requested address is none of them.
 */
export function chooseWallet(
  wallets: readonly IdentityWallet[],
  requested: string,
): IdentityWallet | undefined {
  const deployed = wallets.filter(({ isDeployed }) => isDeployed)
  return (
    deployed.find(({ type }) => type === 'deposit_wallet') ??
    wallets.find(({ address }) => address === requested) ??
    deployed[0]
  )
}
