export type WalletKind = 'eoa' | 'proxy' | 'safe' | 'deposit'

/** How a trader behaves; see `takers.ts` for what each does. */
export type Character =
  | 'maker'
  | 'momentum'
  | 'whale'
  | 'arbitrageur'
  | 'sniper'
  | 'copier'
  | 'holder'
  | 'casual'
  | 'loser'

/** A trader's account: the address that holds the money, and the key behind it. Addresses are lower-case. */
export type Wallet = {
  index: number
  address: string
  /** The address as the 64 hex digits that stand in a log. */
  word: string
  owner: string
  kind: WalletKind
  character: Character
  /** Shown name; empty for those who never chose one. */
  name: string
  pseudonym: string
  bio: string
  profileImage: string
  xUsername: string
  verified: boolean
  createdMs: number
  /** The app through which it trades; its code goes into every order. */
  builder: Builder | undefined
}

/** An app. `name` and `logo` are empty when it has no public profile. */
export type Builder = { code: string; name: string; logo: string; verified: boolean }

/** The signature types that orders carry. */
export const SIGNATURE_TYPES = { eoa: 0, proxy: 1, safe: 2, deposit: 3 } as const
