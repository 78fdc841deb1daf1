import { isoTime } from '../markets/times.js'
import type { Wallet } from '../universe/wallet.js'

export const presentProfile = (wallet: Wallet) => ({
  createdAt: isoTime(wallet.createdMs),
  proxyWallet: wallet.address,
  profileImage: wallet.profileImage,
  displayUsernamePublic: wallet.name !== '',
  bio: wallet.bio,
  pseudonym: wallet.pseudonym,
  name: wallet.name,
  users: [{ id: String(wallet.index + 1), creator: false, mod: false }],
  xUsername: wallet.xUsername,
  verifiedBadge: wallet.verified,
})
