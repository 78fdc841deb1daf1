import type { FactKind } from './fact-kind.js'

/** A wallet that is a contract, and the address that owns it. */
export type WalletOwnerFact = { seq: number; wallet: string; owner: string; kind: 'safe' | 'proxy' }

export const WALLET_OWNERS: FactKind<WalletOwnerFact> = {
  rows: {
    table: 'wallet_owners',
    columns: ['seq', 'wallet', 'owner', 'kind'],
    toLine: ({ seq, wallet, owner, kind }, ids) =>
      `${seq}\t${ids.wallet(wallet)}\t${ids.wallet(owner)}\t${kind}\n`,
  },
  addReferences({ seq, wallet, owner }, ids, ordinal) {
    ids.wallets.add(wallet, seq, ordinal)
    ids.wallets.add(owner, seq, ordinal + 1)
  },
}
