/** Polygon, as `eth_chainId` of a node has it. */
export const CHAIN_ID = 137

/** The deepest reorganisation that can be reverted, in blocks below the head. */
export const REORG_BLOCKS_MAX = 256

/** Facts are stored in partitions of this many blocks, counted from block 0. No batch spans two. */
export const PARTITION_BLOCKS = 2 ** 18

/** The last block of the partition that contains this block. */
export const partitionEnd = (block: number): number =>
  block - (block % PARTITION_BLOCKS) + PARTITION_BLOCKS - 1

/** The ledger keeps what the last reorganisations, this many, reverted; the boards' job recomputes a board that missed more. */
export const REWOUND_MAX = 256n
