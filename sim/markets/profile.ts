import type { Wallet } from '../universe/wallet.js'

/** How rows show the person behind a wallet. */
export const profileOf = ({ name, pseudonym, bio, profileImage }: Wallet) => ({
  name,
  pseudonym,
  bio,
  profileImage,
  profileImageOptimized: '',
})
