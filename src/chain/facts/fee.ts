import { copyBytes, NULL } from '../../store/copy.js'
import { type FactKind, type FactOrigin, indexesOn } from './fact-kind.js'

/** A trading fee was charged, refunded or withdrawn. */
export type FeeFact = FactOrigin & {
  kind: 'charged' | 'refunded' | 'withdrawn'
  /** Who got it. */
  wallet: string
  /** `undefined`: money. */
  token: string | undefined
  amount: bigint
}

/** Values of the column `kind`. */
const KINDS: Record<FeeFact['kind'], number> = { charged: 0, refunded: 1, withdrawn: 2 }

export const FEES: FactKind<FeeFact> = {
  rows: {
    table: 'fees',
    columns: ['seq', 'amount', 'wallet', 'token', 'kind', 'tx_hash'],
    partitionIndexes: indexesOn('wallet'),
    toLine({ seq, amount, wallet, token, kind, txHash }, ids) {
      const tokenId = token === undefined ? NULL : ids.token(token)
      return `${seq}\t${amount}\t${ids.wallet(wallet)}\t${tokenId}\t${KINDS[kind]}\t${copyBytes(txHash)}\n`
    },
  },
  addReferences({ seq, wallet, token }, ids, ordinal) {
    ids.wallets.add(wallet, seq, ordinal)
    if (token !== undefined) ids.tokens.add(token, seq, ordinal)
  },
}
