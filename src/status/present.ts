import type { BlockTime, KindCoverage } from '../chain/coverage.js'
import type { StateRow } from '../chain/queries.js'
import type { Config } from '../config/config.js'
import { SETTINGS } from '../config/settings.js'
import { presentAge } from '../core/clock.js'
import type { JobRecord } from '../jobs/runner.js'
import type { Platform } from '../platform.js'
import type { TickCoverage } from '../prices/archive/coverage.js'
import { feedOf, STREAMS } from '../prices/streams.js'
import type { RedisConnection } from '../redis/connection.js'
import type { UpstreamHealth } from '../upstreams/transport/health.js'
import { UPSTREAMS } from '../upstreams/upstreams.js'
import type { LiveProcess } from './processes/queries.js'
import { readiness } from './readiness.js'
import { presentReplicas } from './replicas.js'

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
    lag_blocks: null,
    block_age_seconds: null,
    problem: null,
    quarantined: 0,
  },
  prices: [],
  orderbooks: { followed: 0, stale: 0, sockets: 0, recorded: 0, unrecorded: 0 },
  scores: { state: 'off', games: 0, live: 0, age_seconds: null },
  leaderboards: { as_of: null, last_refresh: null },
  upstreams: [],
  coverage: null,
  audit: { last_run: null, seconds: null, differences: null, node: null },
  processes: [],
}
const IDLE_STATE = {
  market_count: 0,
  wallet_count: 0,
  metadata_count: 0,
  events_buffered: 0,
  events_processed: 0,
  latest_block: 0,
}

const IDLE_METADATA = {
  ws_settlement_missing_full: 0,
  ws_settlement_missing_title: 0,
  ws_status_missing_full: 0,
  ws_status_missing_title: 0,
  hydration_queued: 0,
  hydration_retries: 0,
  hydration_failures: 0,
  gamma_hydration_success: 0,
  gamma_hydration_no_markets: 0,
  gamma_hydration_unusable: 0,
  gamma_hydration_request_errors: 0,
  gamma_hydration_status_errors: 0,
  gamma_hydration_parse_errors: 0,
}

/** What works only where the operator has set it up, and the setting that it needs. */
const OPTIONAL_FEATURES = Object.values(UPSTREAMS).flatMap(({ feature, optional }) => {
  const [key] = optional?.needs ?? []
  return feature === undefined || key === undefined ? [] : { feature, key, setting: SETTINGS[key].env }
})

export function presentStatus(platform: Platform, startedAtMs: number) {
  const { config, statusParts, jobs, clock } = platform
  const nowMs = clock.now()
  const { status, checks } = readiness(platform)
  const fields = statusParts.map((part) => part.fields?.(nowMs) ?? {})
  return {
    ...IDLE,
    ...(Object.assign({}, ...fields) as object),
    roles: config.roles,
    uptime_seconds: Math.floor((nowMs - startedAtMs) / 1000),
    readiness: { status, checks },
    replicas: presentReplicas(platform.store.replicas),
    redis: presentRedis(platform.redis),
    state: Object.assign({ ...IDLE_STATE }, ...fields.map(({ state }) => state)),
    metadata_observability: Object.assign(
      { ...IDLE_METADATA },
      ...fields.map(({ metadata_observability: counts }) => counts),
    ),
    not_configured: OPTIONAL_FEATURES.filter(({ key }) => config[key] === undefined).map(
      ({ feature, setting }) => ({ feature, setting }),
    ),
    jobs: jobs.records.map(presentJob),
    warnings: statusParts.flatMap((part) => part.warnings?.() ?? []),
  }
}

/** Whether Redis is used, and since when it is lost. */
function presentRedis(redis: RedisConnection | undefined) {
  if (redis === undefined) return { state: 'off' as const, lost_since: null, problem: null }
  const { problem = null, lostAtMs } = redis
  const lost_since = lostAtMs === undefined ? null : Math.floor(lostAtMs / 1000)
  const whileAway = lostAtMs === undefined ? ('starting' as const) : ('lost' as const)
  return { state: problem === null ? ('ready' as const) : whileAway, lost_since, problem }
}

/** Every upstream that there is, and how it did in this process. */
export const presentUpstreams = (config: Config, health: UpstreamHealth) =>
  Object.entries(UPSTREAMS).map(([name, { optional }]) => {
    const isOff = (optional?.needs ?? []).some((setting) => config[setting] === undefined)
    const { successes, faults, lastOkMs, lastFault } = health.of(name)
    return {
      name,
      state: isOff ? ('off' as const) : stateOf(lastOkMs, lastFault?.atMs),
      successes,
      faults,
      last_ok: lastOkMs === undefined ? null : Math.floor(lastOkMs / 1000),
      last_fault: lastFault === undefined ? null : Math.floor(lastFault.atMs / 1000),
      last_error: lastFault?.message ?? null,
    }
  })

function stateOf(lastOkMs: number | undefined, lastFaultMs: number | undefined) {
  if (lastFaultMs !== undefined && lastFaultMs >= (lastOkMs ?? 0)) return 'failing' as const
  return lastOkMs === undefined ? ('idle' as const) : ('ok' as const)
}

/** Where it runs is for those who can read the database. */
export const presentProcess = (live: LiveProcess) => ({
  id: live.id,
  roles: live.roles,
  version: live.version,
  started: live.startedSec,
  age_seconds: live.ageSec,
  status: live.status,
  chain_phase: live.chainPhase,
  jobs: live.jobs,
  warnings: live.warnings,
})

const presentJob = (record: JobRecord) => ({
  name: record.job.name,
  runs_in: record.job.runsIn === 'one process' ? ('one_process' as const) : ('every_process' as const),
  every_seconds: record.job.everyMs / 1000,
  is_running: record.isRunning,
  last_start: record.lastStartMs === undefined ? null : Math.floor(record.lastStartMs / 1000),
  last_seconds: record.lastDurationMs === undefined ? null : Math.round(record.lastDurationMs) / 1000,
  runs: record.runs,
  failures: record.failures,
  is_failing: record.failuresInRow > 0,
  last_error: record.lastError ?? null,
})

export function presentCoverage(state: StateRow, kinds: readonly KindCoverage[], nowMs: number) {
  const { block, blockTime } = state
  return {
    head: block === null ? null : presentBlockTime({ block, timeSec: blockTime ?? undefined }),
    head_age_seconds: presentAge(blockTime ?? 0, nowMs),
    data: kinds.map(({ kind, from, to, holes }) => ({
      kind,
      from: from === undefined ? null : presentBlockTime(from),
      to: to === undefined ? null : presentBlockTime(to),
      is_complete: from !== undefined && holes.length === 0,
      holes: holes.map(({ fromBlock, toBlock }) => ({ from_block: fromBlock, to_block: toBlock })),
    })),
  }
}

const presentBlockTime = ({ block, timeSec }: BlockTime) => ({
  block,
  time: timeSec === undefined ? null : presentTime(timeSec),
})

export const presentTicks = ({ streams, gaps }: TickCoverage) => ({
  streams: streams.map(({ stream: { symbol, source, kind }, fromSec, hours }) => ({
    feed: feedOf(symbol),
    source,
    price_source: kind,
    from: presentTime(fromSec),
    hours: hours.map(({ startSec, seconds, missing }) => ({
      start: presentTime(startSec),
      seconds,
      missing,
    })),
  })),
  gaps: gaps.map(({ upstream, stream: id, fromSec, toSec, reason }) => {
    const stream = id === null ? undefined : STREAMS.get(id)
    return {
      upstream,
      feed: stream === undefined ? null : feedOf(stream.symbol),
      price_source: stream?.kind ?? null,
      from: presentTime(fromSec),
      to: presentTime(toSec),
      reason,
    }
  }),
})

const presentTime = (sec: number): string => new Date(sec * 1000).toISOString()
