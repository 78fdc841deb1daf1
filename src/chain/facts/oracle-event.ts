import { copyBytes, copyBytesOrNull, NULL } from '../../store/copy.js'
import { copyNumberList, type FactKind, type TimedOrigin } from './fact-kind.js'

/** A step in the life of a question at the UMA oracle: the fields that a kind lacks are `undefined`. */
export type OracleFact = TimedOrigin & {
  kind:
    | 'initialized'
    | 'requested'
    | 'proposed'
    | 'disputed'
    | 'settled'
    | 'resolved'
    | 'manually_resolved'
    | 'emergency_resolved'
    | 'reset'
    | 'flagged'
    | 'unflagged'
    | 'paused'
    | 'unpaused'
    | 'reported'
  contract: string
  /** The adapter whose question it is, where the oracle itself logs: its `requester`. */
  requester?: string | undefined
  question: string | undefined
  requestTimeSec: number | undefined
  /** Who requested, proposed or disputed. */
  actor?: string | undefined
  proposer?: string | undefined
  /** As the oracle writes it: 10^18 is one. */
  price?: bigint | undefined
  payouts?: readonly bigint[] | undefined
  /** What a proposer has to put at stake, in millionths; not stored. */
  bond?: bigint | undefined
  expirationSec: number | undefined
}

export const ORACLE_EVENTS: FactKind<OracleFact> = {
  rows: {
    table: 'oracle_events',
    columns: [
      'seq',
      'kind',
      'contract',
      'question',
      'request_time',
      'actor',
      'proposer',
      'price',
      'payouts',
      'expiration',
      'tx_hash',
    ],
    toLine: (step, ids) =>
      `${[
        step.seq,
        step.kind,
        ids.wallet(step.contract),
        copyBytesOrNull(step.question),
        step.requestTimeSec ?? NULL,
        step.actor === undefined ? NULL : ids.wallet(step.actor),
        step.proposer === undefined ? NULL : ids.wallet(step.proposer),
        step.price ?? NULL,
        step.payouts === undefined ? NULL : copyNumberList(step.payouts),
        step.expirationSec ?? NULL,
        copyBytes(step.txHash),
      ].join('\t')}\n`,
  },
  addReferences({ seq, contract, actor, proposer }, ids, ordinal) {
    ids.wallets.add(contract, seq, ordinal)
    if (actor !== undefined) ids.wallets.add(actor, seq, ordinal + 1)
    if (proposer !== undefined) ids.wallets.add(proposer, seq, ordinal + 2)
  },
}
