import { OperatorError } from '../../core/errors.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { StateRow } from '../queries.js'

export type WantedRange = {
  fromBlock: number
  /** `undefined`: up to where the ledger begins. */
  toBlock?: number | undefined
}

/** The blocks to read, both ends included. Throws what the operator can mend. */
export function chooseRange(state: StateRow, { fromBlock, toBlock }: WantedRange): BlockRange {
  const { ledgerFrom, block: lastBlock, keptFrom } = state
  if (ledgerFrom === null || lastBlock === null) {
    throw new OperatorError(
      'There is no ledger yet: `auspex up` begins one, and --from-block says where.',
    )
  }
  const range = { fromBlock, toBlock: toBlock ?? Math.max(fromBlock, ledgerFrom - 1) }
  if (range.toBlock < range.fromBlock) {
    throw new OperatorError(`--to ${range.toBlock} is below --from ${range.fromBlock}.`)
  }
  if (range.toBlock > lastBlock) {
    throw new OperatorError(
      `Block ${range.toBlock} is not booked yet: the running service reads what comes after block ${lastBlock}.`,
    )
  }
  if (keptFrom !== null && range.fromBlock < keptFrom) {
    throw new OperatorError(
      `What is below block ${keptFrom} is too old to be kept: AUSPEX_RETENTION_DAYS says how long.`,
    )
  }
  return range
}
