import type { EncodedTransaction } from './encoded-blocks.js'

const GWEI = 1_000_000_000

export const TIP_WEI = 30 * GWEI
export const FEE_WEI_MAX = 400 * GWEI
export const BLOCK_GAS_MAX = 45_000_000

/** Most of the gas goes into changed balances, and each of those leaves a log. */
export function gasUsed({ tx, logs }: EncodedTransaction): number {
  return 52_000 + 33_000 * logs.length + Number.parseInt(tx.hash.slice(2, 5), 16)
}

/** Around 27 gwei, by the hash of the block. */
export function baseFeeWei(blockHash: string): number {
  return 25 * GWEI + Number.parseInt(blockHash.slice(2, 10), 16)
}
