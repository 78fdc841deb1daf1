import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export type FollowMetrics = ReturnType<typeof createFollowMetrics>

/** What the follower reports about the chain and about how far it has come. */
export function createFollowMetrics(registry: Registry) {
  const registers = [registry]
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const counter = (name: string, help: string) => new Counter({ name, help, registers })
  return {
    headBlock: gauge('auspex_chain_head_block', 'Newest block that the node announced'),
    headTime: gauge(
      'auspex_chain_head_timestamp_seconds',
      'Time of the newest block that the node announced',
    ),
    cursorBlock: gauge('auspex_chain_cursor_block', 'Last block that is booked'),
    cursorTime: gauge('auspex_chain_cursor_timestamp_seconds', 'Time of the last booked block'),
    lagSeconds: gauge(
      'auspex_chain_lag_seconds',
      'Time of the newest block of the node minus that of the last booked one',
    ),
    isLive: gauge('auspex_chain_live', '1 while every new block is booked as it comes'),
    blocks: counter('auspex_chain_blocks_total', 'Blocks booked'),
    logs: counter('auspex_chain_logs_total', 'Logs booked'),
    faults: counter('auspex_chain_faults_total', 'Steps that failed and were tried again'),
    reorgs: counter('auspex_chain_reorgs_total', 'Reorganisations that took booked blocks back'),
    reorgDepth: new Histogram({
      name: 'auspex_chain_reorg_depth_blocks',
      help: 'Blocks that a reorganisation took back',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers,
    }),
    receiptChecks: new Counter({
      name: 'auspex_chain_receipt_checks_total',
      help: 'Blocks whose logs were compared with their receipts, by result: agreed, corrected, unavailable',
      labelNames: ['result'] as const,
      registers,
    }),
    refusedLogs: counter(
      'auspex_chain_refused_logs_total',
      'Logs that the node gave and that their block does not have',
    ),
  }
}
