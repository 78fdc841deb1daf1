/** The last block that is booked; block 0 and time 0 before the first. */
export type ChainHead = { block: number; timeSec: number }

/** What the follower of the chain is doing. */
export type FollowerStatus = {
  phase: 'standby' | 'catching_up' | 'live' | 'stopped'
  /** Newest block of the node; `undefined` before its first answer. */
  nodeBlock: number | undefined
  /** Why no block is booked; `undefined` when all is well. */
  problem: string | undefined
}

/**
 * The chain as this process sees it. The ingest writes it while this process books; a job reads the
 * head and the number of wallets from the database, because another process may be the one that books.
 */
export type ChainStatus = {
  head: ChainHead
  /** `undefined` while no follower runs. */
  follower: FollowerStatus | undefined
  isNodeConnected: boolean
  /** Logs that could not be booked. */
  quarantined: number
  wallets: number
}

export const createChainStatus = (): ChainStatus => ({
  head: { block: 0, timeSec: 0 },
  follower: undefined,
  isNodeConnected: false,
  quarantined: 0,
  wallets: 0,
})
