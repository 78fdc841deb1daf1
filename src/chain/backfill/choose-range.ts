import { OperatorError } from '../../core/errors.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { StateRow } from '../queries.js'

export type WantedRange = {
  /** `undefined`: from the first stored block on; only for blocks that are read again. */
  fromBlock?: number | undefined
  /** `undefined`: up to where the ledger begins; of blocks that are read again, up to the last booked one. */
  toBlock?: number | undefined
}

/** The blocks to read, both ends included. Throws what the operator can fix. */
export function chooseRange(state: StateRow, { fromBlock, toBlock }: WantedRange): BlockRange {
  const { ledgerFrom, block: lastBlock, keptFrom } = requireLedger(state)
  if (fromBlock === undefined) {
    throw new OperatorError(
      'Name the first block that is to be read with --from, or add --again to read all stored blocks again.',
    )
  }
  const range = { fromBlock, toBlock: toBlock ?? Math.max(fromBlock, ledgerFrom - 1) }
  checkOrder(range)
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

/** The stored blocks to read again. `firstBlock`: the first one whose facts are stored. */
export function chooseAgainRange(
  state: StateRow,
  firstBlock: number,
  { fromBlock, toBlock, factsOnly }: WantedRange & { factsOnly: boolean },
): BlockRange {
  const { ledgerFrom, block: lastBlock, keptFrom } = requireLedger(state)
  if (keptFrom !== null && keptFrom > ledgerFrom && !factsOnly) {
    throw new OperatorError(
      `The facts below block ${keptFrom} were dropped (AUSPEX_RETENTION_DAYS), so the ledger, which begins at ${ledgerFrom}, cannot be rebuilt from the facts.\nWith --facts-only the facts from block ${keptFrom} on are replaced and the ledger stays as it is.`,
    )
  }
  const first = Math.max(firstBlock, keptFrom ?? 0)
  const range = { fromBlock: fromBlock ?? first, toBlock: toBlock ?? lastBlock }
  checkOrder(range)
  if (range.toBlock > lastBlock) {
    throw new OperatorError(
      `Block ${range.toBlock} is not booked yet, and so cannot be read again: the last booked block is ${lastBlock}. Leave --to out to read up to it.`,
    )
  }
  if (keptFrom !== null && range.fromBlock < keptFrom) {
    throw new OperatorError(
      `What is below block ${keptFrom} is too old to be kept (AUSPEX_RETENTION_DAYS): use --from ${first} or later.`,
    )
  }
  if (range.fromBlock < first) {
    throw new OperatorError(
      `Nothing below block ${first} was read yet: use --again with --from ${first} or later.\n\`auspex backfill --from ${range.fromBlock}\` without --again reads the blocks before it.`,
    )
  }
  return range
}

function requireLedger(state: StateRow) {
  const { ledgerFrom, block, keptFrom } = state
  if (ledgerFrom === null || block === null) {
    throw new OperatorError('There is no ledger yet: `auspex up` begins one, and --from-block says where.')
  }
  return { ledgerFrom, block, keptFrom }
}

function checkOrder({ fromBlock, toBlock }: BlockRange): void {
  if (toBlock < fromBlock) throw new OperatorError(`--to ${toBlock} is below --from ${fromBlock}.`)
}
