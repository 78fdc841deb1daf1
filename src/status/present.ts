import type { StatusBoard } from './board.js'

export const presentStatus = (board: StatusBoard, uptimeMs: number) => ({
  node_connected: board.nodeConnected,
  uptime_seconds: Math.floor(uptimeMs / 1000),
  stream_length: board.settlementsBuffered,
  events_stream_length: board.eventsBuffered,
  pending_txs: board.pendingTransactions,
  ws_subscribers: board.subscribers,
  firehose_connections: board.firehoses,
  redis_memory: presentBytes(board.eventStoreBytes),
  state: {
    market_count: board.markets,
    wallet_count: board.wallets,
    metadata_count: board.metadata,
    events_buffered: board.eventsBuffered,
    events_processed: board.eventsProcessed,
    latest_block: board.latestBlock,
  },
})

/** As Redis shows memory: `512B`, `3.1G`. */
export function presentBytes(bytes: number): string {
  const units = ['B', 'K', 'M', 'G', 'T']
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)}${units[unit]}`
}
