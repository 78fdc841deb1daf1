/**
 * What the parts of the service report about themselves, for `/v1/status`. Each number is written by
 * the part that owns it and stays at its first value while that part does not run.
 */
export type StatusBoard = {
  nodeConnected: boolean
  settlementsBuffered: number
  eventsBuffered: number
  eventsProcessed: number
  eventStoreBytes: number
  pendingTransactions: number
  subscribers: number
  firehoses: number
  markets: number
  wallets: number
  metadata: number
  latestBlock: number
  /** Unix time of that block, 0 while there is none. */
  latestBlockSec: number
  /** What the follower of the chain is doing; `undefined` while it does not run. */
  chain: ChainStatus | undefined
  /** Where prices come from, and when each was last heard; `undefined` while nobody collects any. */
  prices: readonly PriceStatus[] | undefined
  /** Logs that could not be booked. */
  quarantined: number
  /** What somebody should look at, in words. */
  warnings: readonly string[]
}

/** `lastSec`: the newest tick of the archive; `undefined`: there is none. */
export type PriceStatus = { source: string; lastSec: number | undefined }

export type ChainStatus = {
  phase: 'standby' | 'catching_up' | 'live' | 'stopped'
  /** Newest block of the node; `undefined` before its first answer. */
  nodeBlock: number | undefined
  /** Why nothing moves; `undefined` when all is well. */
  problem: string | undefined
}

export const createStatusBoard = (): StatusBoard => ({
  nodeConnected: false,
  settlementsBuffered: 0,
  eventsBuffered: 0,
  eventsProcessed: 0,
  eventStoreBytes: 0,
  pendingTransactions: 0,
  subscribers: 0,
  firehoses: 0,
  markets: 0,
  wallets: 0,
  metadata: 0,
  latestBlock: 0,
  latestBlockSec: 0,
  chain: undefined,
  prices: undefined,
  quarantined: 0,
  warnings: [],
})
