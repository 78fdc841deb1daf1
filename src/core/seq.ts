/**
 * Every fact of the chain has one number: its block and its log index. It is exact in a
 * double up to block 8,589,934,591, so code keeps it as a number and SQL as an int8.
 */
export const LOGS_PER_BLOCK = 2 ** 20

export const seqOf = (block: number, logIndex: number): number => block * LOGS_PER_BLOCK + logIndex

export const blockOf = (seq: number): number => Math.floor(seq / LOGS_PER_BLOCK)

/** The last `seq` of a block. */
export const endOfBlock = (block: number): number => seqOf(block + 1, 0) - 1

export const logIndexOf = (seq: number): number => seq % LOGS_PER_BLOCK
