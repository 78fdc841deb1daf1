import type { Context } from '../context.js'
import type { JobRecord } from '../jobs/runner.js'

/** What is shown of parts that do not run. */
const IDLE = {
  node_connected: false,
  stream_length: 0,
  events_stream_length: 0,
  pending_txs: 0,
  ws_subscribers: 0,
  firehose_connections: 0,
  redis_memory: '0B',
  chain: {
    phase: 'off',
    node_block: null,
    block: 0,
    block_age_seconds: null,
    problem: null,
    quarantined: 0,
  },
  prices: [],
}
const IDLE_STATE = {
  market_count: 0,
  wallet_count: 0,
  metadata_count: 0,
  events_buffered: 0,
  events_processed: 0,
  latest_block: 0,
}

export function presentStatus({ statusParts, jobs, clock, startedAtMs }: Context) {
  const nowMs = clock.now()
  const fields = statusParts.map((part) => part.fields?.(nowMs) ?? {})
  return {
    ...IDLE,
    ...(Object.assign({}, ...fields) as object),
    uptime_seconds: Math.floor((nowMs - startedAtMs) / 1000),
    state: Object.assign({ ...IDLE_STATE }, ...fields.map(({ state }) => state)),
    jobs: jobs.records.map(presentJob),
    warnings: statusParts.flatMap((part) => part.warnings?.() ?? []),
  }
}

const presentJob = (record: JobRecord) => ({
  name: record.job.name,
  runs_in:
    record.job.runsIn === 'one process' ? ('one_process' as const) : ('every_process' as const),
  every_seconds: record.job.everyMs / 1000,
  is_running: record.isRunning,
  last_start: record.lastStartMs === undefined ? null : Math.floor(record.lastStartMs / 1000),
  last_seconds: record.lastDurationMs === undefined ? null : record.lastDurationMs / 1000,
  runs: record.runs,
  failures: record.failures,
  is_failing: record.failuresInRow > 0,
  last_error: record.lastError ?? null,
})
