import type { Identity, IdentityWallet, WalletType } from './identity.js'

export function presentIdentity({ owner, current, others, username }: Identity) {
  const all = [current, ...others]
  const deployed = (type: WalletType) =>
    all.find((wallet) => wallet.isDeployed && wallet.type === type)?.address ?? null
  return {
    safe: current.address,
    eoa: owner ?? null,
    username: username ?? null,
    type: current.type,
    wallets: {
      deposit_wallet: deployed('deposit_wallet'),
      safe: deployed('safe'),
      proxy_wallet: deployed('proxy'),
    },
    wallet_details: all.map((wallet) => presentWallet(wallet, wallet === current)),
  }
}

export const presentWallet = ({ address, type, isDeployed }: IdentityWallet, current: boolean) => ({
  address,
  wallet_type: type,
  deployed: isDeployed,
  current,
})
