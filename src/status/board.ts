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
})
