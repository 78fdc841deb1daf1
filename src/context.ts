import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { Admission } from './accounts/admission.js'
import { KeyRing } from './accounts/key-ring.js'
import { Operators } from './accounts/operators.js'
import type { Plans } from './accounts/plans.js'
import { readPlans } from './accounts/plans-file.js'
import { SharedLimiter } from './accounts/shared-limiter.js'
import { UsageMeter } from './accounts/usage-meter.js'
import { LiveBooks } from './books/live-books.js'
import { selectOpenTokens } from './books/queries.js'
import { Bus } from './bus/bus.js'
import { Catalogue } from './catalogue/catalogue.js'
import { createCatalogueMetrics } from './catalogue/deps.js'
import { type ChainStatus, createChainStatus } from './chain/chain-status.js'
import type { Config } from './config/config.js'
import { type Clock, systemClock } from './core/clock.js'
import { EventLog } from './events/event-log.js'
import type { StatusPart } from './jobs/job.js'
import { JobRunner } from './jobs/runner.js'
import { Alarm } from './lib/alarm.js'
import { FloodLog } from './lib/flood-log.js'
import type { Log } from './lib/log.js'
import type { StaleFallbackCache } from './lib/stale-fallback-cache.js'
import { systemTiming, type Timing } from './lib/timing.js'
import { LiveScores } from './scores/live-scores.js'
import { LargeAnswers } from './sessions/large-answers.js'
import { SocialQuota } from './sessions/social-quota.js'
import { SocketSessions } from './sessions/socket-sessions.js'
import type { Pool } from './store/connection.js'
import { SecretBox } from './store/secret-box.js'
import type { Store } from './store/store.js'
import { createStoredCache } from './store/stored-cache.js'
import { OnlineSearch } from './upstreams/searxng/online-search.js'
import { createUpstreamMetrics } from './upstreams/transport/metrics.js'
import { Upstreams } from './upstreams/upstreams.js'

/** What every part of the service shares. Passed in, never imported, so that tests can run two services. */
export type Context = {
  config: Config
  clock: Clock
  log: Log
  /** For lines that clients and upstreams can cause as often as they like. */
  floodLog: FloodLog
  /** The pool of this moment. */
  readonly sql: Pool
  /** The same for answers: a query that takes too long is cancelled. */
  readonly answerSql: Pool
  store: Pick<Store, 'sql' | 'answers' | 'control' | 'problem'>
  plans: Plans
  keyRing: KeyRing
  admission: Admission
  /** Those who run the service. */
  operators: Operators
  usage: UsageMeter
  /** The social calls of accounts in a month. */
  socialQuota: SocialQuota
  /** The WebSockets that accounts have open in all processes. */
  socketSessions: SocketSessions
  largeAnswers: LargeAnswers
  metrics: Metrics
  jobs: JobRunner
  /** What the domains that run report, in the order of their registration. */
  statusParts: StatusPart[]
  chain: ChainStatus
  upstreams: Upstreams
  /** Events of the chain. */
  bus: Bus
  /** What was published on it in the last day. */
  eventLog: EventLog
  /** Coin prices: numbered apart, because every process collects them by itself. */
  priceBus: Bus
  /** Scores of games: every process hears them by itself, too. */
  scoreBus: Bus
  /** The last score of each game. */
  scores: LiveScores
  catalogue: Catalogue
  /** The last answers of upstreams. */
  fallbackCache: StaleFallbackCache
  /** Searches of the web, with their last answers. */
  onlineSearch: OnlineSearch
  /** Live order books. */
  books: LiveBooks
  /** Encrypts the secrets of webhooks. */
  secretBox: SecretBox
  /** Rung when wallets were added to a pool of copy-pnl. */
  copyAlarm: Alarm
  /** Of waits for upstreams and for the turns of keys to ask them. */
  timing: Timing
  startedAtMs: number
}

type ContextParts = Pick<Context, 'config' | 'log' | 'store'> & {
  clock?: Clock
  /** Absent: that of the system. */
  timing?: Timing | undefined
  /** Resolves when the upstreams can be asked; absent: at once. */
  opened?: Promise<void> | undefined
}

/** Some 50,000 messages; in five minutes a hundred live games send fewer. */
const SCORE_BYTES_MAX = 64 * 1024 * 1024

export function createContext(parts: ContextParts): Context {
  const { config, log, store, clock = systemClock, opened, timing = systemTiming } = parts
  const metrics = createMetrics()
  const plans = readPlans(config.plansFile)
  const keyRing = new KeyRing({ store, plans, clock })
  const limiter = new SharedLimiter({ store, clock })
  const bus = new Bus({ clock, log })
  const scoreBus = new Bus({ clock, log, bytesMax: SCORE_BYTES_MAX })
  const upstreamMetrics = createUpstreamMetrics(metrics.registry)
  const upstreamParts = { metrics: upstreamMetrics, clock, log, opened, timing }
  const upstreams = new Upstreams(config, upstreamParts)
  return {
    config,
    clock,
    log,
    floodLog: new FloodLog(log),
    get sql() {
      return store.sql
    },
    get answerSql() {
      return store.answers
    },
    store,
    plans,
    keyRing,
    admission: new Admission({ config, store, keyRing, limiter, metrics, clock }),
    operators: new Operators({ store, clock }),
    usage: new UsageMeter(store, clock),
    socialQuota: new SocialQuota({ store, clock, log }),
    socketSessions: new SocketSessions(store, clock),
    largeAnswers: new LargeAnswers(metrics),
    metrics,
    jobs: new JobRunner({ store, registry: metrics.registry, clock, log }),
    statusParts: [],
    chain: createChainStatus(),
    upstreams,
    bus,
    eventLog: new EventLog({ store, bus, clock }),
    priceBus: new Bus({ clock, log }),
    scoreBus,
    scores: new LiveScores({ scoreBus, clock, registry: metrics.registry }),
    catalogue: new Catalogue(clock),
    fallbackCache: createStoredCache({ store, clock, log }),
    onlineSearch: new OnlineSearch({ upstreams, clock }),
    books: new LiveBooks({
      upstreams,
      selectOpenTokens: (limit) => selectOpenTokens(store.sql, limit),
      log,
      registry: metrics.registry,
    }),
    secretBox: new SecretBox({ config, store }),
    copyAlarm: new Alarm(),
    timing,
    startedAtMs: clock.now(),
  }
}

export type Metrics = ReturnType<typeof createMetrics>

/** The metrics of one process, in a registry of their own so that tests can run services side by side. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'auspex_' })
  return {
    registry,
    catalogue: createCatalogueMetrics(registry),
    rateLimited: new Counter({
      name: 'auspex_rate_limited_total',
      help: 'Requests refused because a bucket was empty',
      labelNames: ['bucket'] as const,
      registers,
    }),
    cacheLookups: new Counter({
      name: 'auspex_response_cache_lookups_total',
      help: 'Answers of cached routes by how they came about: hit, miss, or joined a running miss',
      labelNames: ['result'] as const,
      registers,
    }),
    storeUp: new Gauge({
      name: 'auspex_store_up',
      help: '1 while the database answers',
      registers,
    }),
  }
}
