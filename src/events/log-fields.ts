import { blockOf, logIndexOf } from '../core/seq.js'

type Placed = { seq: number; timeSec: number; txHash: string }

/** Where a fact stands on the chain, as every event that comes from a log says it. */
export const logFields = ({ seq, timeSec, txHash }: Placed) => ({
  tx_hash: txHash,
  block_number: blockOf(seq),
  log_index: logIndexOf(seq),
  timestamp: timeSec * 1000,
})
