import { Type } from 'typebox'
import { ROLES } from '../config/roles.js'
import { namedEnum, namedObject } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'
import { PRICE_KINDS, TICK_SOURCES } from '../prices/streams.js'
import { REPLICA_STATES } from './replicas.js'

const Count = (description: string) => Type.Integer({ minimum: 0, description })

export const HealthReply = Type.Object(
  { status: Type.Literal('ok') },
  { title: 'Health', description: 'The process is alive' },
)

export const ReadyReply = Type.Object(
  {
    status: Type.Enum(['ready', 'degraded', 'not_ready'], { type: 'string' }),
    checks: Type.Record(Type.String(), Type.String(), {
      description: '`ok`, or what is wrong, for each part',
    }),
  },
  { title: 'Readiness', description: 'Whether the service can do its work' },
)

const Block = Type.Integer({ description: 'block number' })
const Time = nullable(
  Type.String({ format: 'date-time' }),
  'time of the block; null where no block near it is known',
)
const BlockTime = (description: string) =>
  nullable(namedObject('BlockTime', { block: Block, time: Time }), description)

const DataCoverage = namedObject('DataCoverage', {
  kind: Type.String({ description: 'kind of data, such as `fills` or `positions`' }),
  from: BlockTime('where it begins; null: there is nothing of it'),
  to: BlockTime('where it ends'),
  is_complete: Type.Boolean({ description: 'nothing is missing between the two ends' }),
  holes: Type.Array(namedObject('BlockRange', { from_block: Block, to_block: Block }), {
    description: 'blocks in between that were not read, both ends included',
  }),
})

const ProcessRole = namedEnum('ProcessRole', ROLES)

export const StatusReply = Type.Object(
  {
    node_connected: Type.Boolean({ description: 'the chain node is connected' }),
    uptime_seconds: Count('since this process started'),
    readiness: Type.Object(
      {
        status: Type.Enum(['ready', 'degraded', 'not_ready'], { type: 'string' }),
        checks: Type.Record(Type.String(), Type.String()),
      },
      { title: 'StatusReadiness', description: 'what `/readyz` says' },
    ),
    stream_length: Count('entries kept in the settlements stream'),
    events_stream_length: Count('entries kept in the unified event stream'),
    pending_txs: Count('unconfirmed transactions that are tracked'),
    ws_subscribers: Count('live WebSocket subscribers'),
    firehose_connections: Count('unfiltered subscriptions'),
    redis_memory: Type.String({ description: 'memory of the event store, such as `3.1G`' }),
    state: namedObject('ServiceState', {
      market_count: Count('markets known'),
      wallet_count: Count('wallets known'),
      metadata_count: Count('markets with metadata'),
      events_buffered: Count('events waiting to be processed'),
      events_processed: Count('events processed since the start'),
      latest_block: Count('highest block that is processed'),
    }),
    metadata_observability: Type.Object(
      {
        ws_settlement_missing_full: Count('settlements that lacked some field of their market'),
        ws_settlement_missing_title: Count('settlements that lacked its title'),
        ws_status_missing_full: Count('status updates that lacked some field of their market'),
        ws_status_missing_title: Count('status updates that lacked its title'),
        hydration_queued: Count('tokens and conditions that were queued for a lookup'),
        hydration_retries: Count('lookups that were put off, because there was no answer'),
        hydration_failures: Count('lookups that were dropped, because the queue was full'),
        gamma_hydration_success: Count('lookups for which Gamma had a market'),
        gamma_hydration_no_markets: Count('lookups for which Gamma had none'),
        gamma_hydration_unusable: Count('lookups for which Gamma had one that cannot be read'),
        gamma_hydration_request_errors: Count('calls of Gamma without an answer'),
        gamma_hydration_status_errors: Count('calls of Gamma answered with an error status'),
        gamma_hydration_parse_errors: Count('calls of Gamma answered with something else than JSON'),
      },
      {
        title: 'MetadataObservability',
        description: 'how events got the fields of their markets, in this process since its start',
      },
    ),
    chain: namedObject('ChainStatus', {
      phase: Type.String({
        enum: ['off', 'standby', 'catching_up', 'live', 'stopped'],
        description:
          '`off` without a node, `standby` while another process ingests, `catching_up`, `live`, or `stopped` with a problem, until it is tried again',
      }),
      node_block: nullable(Type.Integer(), 'newest block of the node'),
      block: Count('highest block that is processed'),
      lag_blocks: nullable(Count('blocks of the node that are not processed yet'), 'null: not known'),
      block_age_seconds: nullable(
        Type.Integer({ minimum: 0 }),
        'age of that block; null before the first one',
      ),
      problem: nullable(Type.String(), 'why nothing moves'),
      quarantined: Count('logs that could not be booked'),
    }),
    prices: Type.Array(
      namedObject('PriceFeedStatus', {
        source: Type.String(),
        age_seconds: nullable(
          Type.Integer({ minimum: 0 }),
          'age of its newest tick; null before the first one',
        ),
      }),
      { description: 'the sources that prices are collected from' },
    ),
    orderbooks: Type.Object({
      followed: Count('order books that are kept up to date'),
      stale: Count('those of them that are loading, or may be wrong'),
      sockets: Count('sockets that they are read from'),
      recorded: Count('books that this process records without a hole at this moment'),
      unrecorded: Count('books that it should record, and has no place for'),
    }),
    scores: Type.Object({
      state: Type.String({
        enum: ['off', 'connecting', 'open', 'waiting', 'closed'],
        description:
          'of the socket that scores of games come from; `off` where the operator has switched it off',
      }),
      games: Count('games whose last score is known'),
      live: Count('those of them that are being played'),
      age_seconds: nullable(
        Type.Integer({ minimum: 0 }),
        'since the last message; null before the first one',
      ),
    }),
    leaderboards: Type.Object(
      {
        as_of: nullable(Type.Integer(), 'the moment that they speak of, in Unix seconds'),
        last_refresh: nullable(Type.Integer(), 'Unix seconds of the last refresh'),
      },
      { description: 'null in a process that has not refreshed them' },
    ),
    coverage: nullable(
      DataCoverage,
      'which fills are here, of the last seconds; `/v1/coverage` has every kind of data. null: none',
    ),
    upstreams: Type.Array(
      namedObject('UpstreamStatus', {
        name: Type.String({ description: 'such as `polygon` or `gamma`' }),
        state: namedEnum(
          'UpstreamState',
          ['ok', 'failing', 'idle', 'off'],
          '`failing`: the last call or socket failed; `idle`: not used yet; `off`: not configured',
        ),
        successes: Count('calls that were answered and sockets that were opened'),
        faults: Count('calls and sockets that failed'),
        last_ok: nullable(Type.Integer(), 'Unix seconds; null: never'),
        last_fault: nullable(Type.Integer(), 'Unix seconds; null: never'),
        last_error: nullable(Type.String(), 'what the last fault was, also when the upstream works again'),
      }),
      { description: 'what this service reads, as it went in this process since its start' },
    ),
    replicas: Type.Array(
      namedObject('ReplicaStatus', {
        host: Type.String({ description: 'host and port, or the folder of a socket' }),
        state: namedEnum(
          'ReplicaState',
          REPLICA_STATES,
          '`behind`: it lacks what the primary showed a second ago; `lost`: it does not answer. Neither is read from',
        ),
        problem: nullable(Type.String(), 'why it is lost'),
        block: nullable(Type.Integer(), 'the last block that it has replayed; null while it is lost'),
        lag_bytes: nullable(
          Count('what the primary has written and it has not replayed'),
          'null while it is lost',
        ),
        reads: Count('queries of answers that it got, since the start of this process'),
        read_share: Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'its part of those that replicas may get',
        }),
      }),
      { description: 'hot standbys that answers are read from, as this process sees them' },
    ),
    redis: Type.Object(
      {
        state: namedEnum(
          'RedisState',
          ['off', 'starting', 'ready', 'lost'],
          '`off`: not configured; `lost`: limits are counted in each process, and events come from the database',
        ),
        lost_since: nullable(Type.Integer(), 'Unix seconds; null: it is not lost'),
        problem: nullable(Type.String(), 'why it is not used; null: it is, or none is configured'),
      },
      { title: 'RedisStatus', description: 'what processes on one database share besides it' },
    ),
    audit: Type.Object(
      {
        last_run: nullable(Type.Integer(), 'Unix seconds'),
        seconds: nullable(Type.Number({ minimum: 0 }), 'how long it took'),
        differences: nullable(Count('that it found between facts and ledger'), 'null: it did not run'),
        node: nullable(
          namedObject('NodeAudit', {
            last_run: Type.Integer({ description: 'Unix seconds' }),
            blocks: Count('blocks that were compared with the node'),
            differences: Count('that were found'),
          }),
          'null: it did not run',
        ),
      },
      { title: 'AuditStatus', description: 'the last audit of this process; null in one that has made none' },
    ),
    not_configured: Type.Array(
      namedObject('MissingSetting', {
        feature: Type.String({ description: 'such as `online_search`' }),
        setting: Type.String({ description: 'what the operator has to set for it' }),
      }),
      {
        description:
          'what this server does not do because it was not set up: it answers 502, and without `chain` nothing of the chain',
      },
    ),
    jobs: Type.Array(
      namedObject('JobStatus', {
        name: Type.String(),
        runs_in: Type.Enum(['every_process', 'one_process'], {
          type: 'string',
          description: '`one_process`: in one of all processes on the database',
        }),
        every_seconds: Type.Number({ description: 'pause after a run; 0: the job waits for work' }),
        is_running: Type.Boolean(),
        last_start: nullable(
          Type.Integer(),
          'Unix seconds at which this process last began a run; null: not yet',
        ),
        last_seconds: nullable(Type.Number({ minimum: 0 }), 'how long the last run took'),
        runs: Count('runs that ended, since the start'),
        failures: Count('runs that failed, since the start'),
        is_failing: Type.Boolean({ description: 'the last run failed; it is tried again' }),
        last_error: nullable(Type.String(), 'what the last failure said; null: none'),
      }),
      { description: 'recurring work beside the requests, as it went in this process' },
    ),
    roles: Type.Array(ProcessRole, { description: 'what this process does of the service' }),
    processes: Type.Array(
      namedObject('ServiceProcess', {
        id: Type.String({ format: 'uuid', description: 'new at each start' }),
        roles: Type.Array(ProcessRole),
        version: Type.String(),
        started: Type.Integer({ description: 'Unix seconds' }),
        age_seconds: Count('since its last sign of life'),
        status: Type.Enum(['ready', 'degraded', 'not_ready'], {
          type: 'string',
          description: 'what its `/readyz` says',
        }),
        chain_phase: Type.String({ description: 'what it does with the chain, as in `chain`' }),
        jobs: Type.Array(Type.String(), { description: 'those that it, and no other process, runs now' }),
        warnings: Type.Array(Type.String(), { description: 'what it wants an operator to look at' }),
      }),
      { description: 'the processes on this database that live, this one included, the oldest first' },
    ),
    warnings: Type.Array(Type.String(), { description: 'what an operator should look at' }),
  },
  { title: 'Status', description: 'What the parts of the service report' },
)

const parts = StatusReply.properties

/** Of the same parts, what a person looks at. */
export const StatusOverviewReply = Type.Object(
  {
    readiness: parts.readiness,
    uptime_seconds: parts.uptime_seconds,
    ws_subscribers: parts.ws_subscribers,
    chain: parts.chain,
    coverage: parts.coverage,
    prices: parts.prices,
    orderbooks: parts.orderbooks,
    scores: parts.scores,
    upstreams: parts.upstreams,
    jobs: parts.jobs,
    processes: parts.processes,
    audit: parts.audit,
    not_configured: parts.not_configured,
    warnings: parts.warnings,
  },
  { title: 'StatusOverview', description: 'What the parts of the service report to everybody' },
)

export const CoverageQuery = Type.Object({
  hours: Type.Integer({
    minimum: 1,
    maximum: 168,
    default: 24,
    description: 'how many hours of ticks to report, the running one included',
  }),
})

const Moment = Type.String({ format: 'date-time' })

const TickHours = namedObject('TickCoverage', {
  streams: Type.Array(
    namedObject('TickStream', {
      feed: Type.String({ examples: ['BTC/USD'] }),
      source: namedEnum('TickSource', TICK_SOURCES),
      price_source: namedEnum('PriceKind', PRICE_KINDS),
      from: Type.String({ format: 'date-time', description: 'the hour in which it begins' }),
      hours: Type.Array(
        namedObject('TickHour', {
          start: Moment,
          seconds: Type.Integer({ minimum: 0, description: 'seconds that have a tick' }),
          missing: Type.Integer({ minimum: 0, description: 'seconds that passed without one' }),
        }),
      ),
    }),
    { description: 'one entry for each feed, source and price source that has ticks' },
  ),
  gaps: Type.Array(
    namedObject('TickGap', {
      upstream: Type.String({ description: 'whose connection it was' }),
      feed: nullable(Type.String(), 'null: all feeds'),
      price_source: nullable(Type.String(), 'null: all'),
      from: Moment,
      to: Moment,
      reason: Type.String(),
    }),
    {
      description:
        'outages in those hours that a connection could not fill, the newest first; another may have delivered what it missed',
    },
  ),
})

export const CoverageReply = Type.Object(
  {
    head: BlockTime('the last block that is processed; null before the first one'),
    head_age_seconds: nullable(Type.Integer({ minimum: 0 })),
    data: Type.Array(DataCoverage),
    ticks: TickHours,
  },
  { title: 'Coverage', description: 'From where to where each kind of data is known' },
)
