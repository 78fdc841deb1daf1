import type { StatusBoard } from './board.js'

export const presentStatus = (board: StatusBoard, nowMs: number, startedAtMs: number) => ({
  node_connected: board.nodeConnected,
  uptime_seconds: Math.floor((nowMs - startedAtMs) / 1000),
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
  chain: {
    phase: board.chain?.phase ?? 'off',
    node_block: board.chain?.nodeBlock ?? null,
    block: board.latestBlock,
    block_age_seconds: presentAge(board.latestBlockSec, nowMs),
    problem: board.chain?.problem ?? null,
    quarantined: board.quarantined,
  },
  prices: (board.prices ?? []).map(({ source, lastSec = 0 }) => ({
    source,
    age_seconds: presentAge(lastSec, nowMs),
  })),
  warnings: [...board.warnings],
})

/** `null`: there is nothing yet. A clock behind the chain's shows no negative age. */
export const presentAge = (sec: number, nowMs: number): number | null =>
  sec === 0 ? null : Math.max(0, Math.floor(nowMs / 1000) - sec)

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
