import { isoTime } from '../markets/amounts.js'
import type { Wallet } from '../universe/wallet.js'
import type { Gamma } from './gamma.js'
import { notFound, Refusal } from './refusal.js'

export const presentProfile = (wallet: Wallet) => ({
  createdAt: isoTime(wallet.createdMs),
  proxyWallet: wallet.address,
  profileImage: wallet.profileImage,
  displayUsernamePublic: wallet.name !== '',
  bio: wallet.bio,
  pseudonym: wallet.pseudonym,
  name: wallet.name,
  users: [{ id: String(wallet.index + 1), creator: false, mod: false, communityMod: false }],
  xUsername: wallet.xUsername,
  verifiedBadge: wallet.verified,
})

export function showProfile({ universe }: Gamma, query: URLSearchParams): object {
  const address = query.get('address') ?? ''
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) {
    throw new Refusal(400, 'validation error', 'invalid address')
  }
  const wallet = universe.walletByAddress(address.toLowerCase())
  if (wallet === undefined || wallet.createdMs > universe.nowMs) throw notFound('profile not found')
  return presentProfile(wallet)
}
