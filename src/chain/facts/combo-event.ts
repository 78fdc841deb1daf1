import { copyBytes, copyText, NULL } from '../../store/copy.js'
import { copyTokens, type FactKind, type TimedOrigin } from './fact-kind.js'

/** What else happens to structured positions, for the combo lists. */
export type ComboEventFact = TimedOrigin & {
  /** The name of the event, in our spelling: `positionsSplit`, `compressed`. */
  kind: string
  contract: string
  wallet: string
  /** Condition or event, padded; `undefined` where the log names neither. */
  condition: string | undefined
  tokens: readonly string[]
  amount: bigint
  payout: bigint | undefined
}

export const COMBO_EVENTS: FactKind<ComboEventFact> = {
  rows: {
    table: 'combo_events',
    columns: ['seq', 'amount', 'payout', 'wallet', 'contract', 'condition', 'kind', 'tokens', 'tx_hash'],
    toLine: (event, ids) =>
      `${[
        event.seq,
        event.amount,
        event.payout ?? NULL,
        ids.wallet(event.wallet),
        ids.wallet(event.contract),
        event.condition === undefined ? NULL : ids.condition(event.condition),
        copyText(event.kind),
        copyTokens(ids, event.tokens),
        copyBytes(event.txHash),
      ].join('\t')}\n`,
  },
  addReferences({ seq, contract, wallet, condition, tokens }, ids, ordinal) {
    ids.wallets.add(contract, seq, ordinal)
    ids.wallets.add(wallet, seq, ordinal + 1)
    if (condition !== undefined) ids.conditions.add(condition, seq, ordinal)
    ids.tokens.addAll(tokens, seq, ordinal)
  },
}
