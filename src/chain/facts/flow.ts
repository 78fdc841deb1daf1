import { copyBytes, NULL } from '../../store/copy.js'
import { type FactKind, indexesOn, type TimedOrigin } from './fact-kind.js'

/** Collateral came, went or changed hands outside of trading. */
export type FlowFact = TimedOrigin & {
  kind: 'deposit' | 'withdrawal' | 'transfer' | 'perps_deposit' | 'perps_withdrawal'
  from: string
  to: string
  /** Address of the asset that was wrapped or unwrapped, else of pUSD. */
  asset: string
  /** The contract that wrapped or unwrapped; `undefined` for all other kinds. */
  ramp: string | undefined
  amount: bigint
}

/** Values of the column `kind`. */
const KINDS: Record<FlowFact['kind'], number> = {
  deposit: 0,
  withdrawal: 1,
  transfer: 2,
  perps_deposit: 3,
  perps_withdrawal: 4,
}

export const FLOWS: FactKind<FlowFact> = {
  rows: {
    table: 'flows',
    columns: ['seq', 'amount', 'from_wallet', 'to_wallet', 'asset', 'ramp', 'kind', 'tx_hash'],
    partitionIndexes: indexesOn('from_wallet', 'to_wallet'),
    toLine({ seq, amount, kind, from, to, asset, ramp, txHash }, ids) {
      const assetId = ids.wallet(asset)
      const rampId = ramp === undefined ? NULL : ids.wallet(ramp)
      return `${seq}\t${amount}\t${ids.wallet(from)}\t${ids.wallet(to)}\t${assetId}\t${rampId}\t${KINDS[kind]}\t${copyBytes(txHash)}\n`
    },
  },
  addReferences({ seq, from, to, asset, ramp }, ids, ordinal) {
    ids.wallets.add(from, seq, ordinal)
    ids.wallets.add(to, seq, ordinal + 1)
    ids.wallets.add(asset, seq, ordinal + 2)
    if (ramp !== undefined) ids.wallets.add(ramp, seq, ordinal + 3)
  },
}
