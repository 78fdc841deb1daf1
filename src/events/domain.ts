import { Bus } from '../bus/bus.js'
import type { MarketLookup } from '../catalogue/market-info.js'
import type { Role } from '../config/roles.js'
import type { Domain } from '../http/domain.js'
import type { Job, StatusPart } from '../jobs/job.js'
import type { Platform } from '../platform.js'
import { EventLog } from './event-log.js'
import { EventStream, STREAM_BEAT_MS } from './event-stream.js'
import { LiveEvents } from './live-events.js'
import { MARKET } from './message.js'

/** How late events are in processes that do not book the chain. */
const SYNC_MS = 250
/** The same where events come through Redis: nothing should be missing then. */
const SAFETY_SYNC_MS = 5_000
const RETENTION_MS = 5 * 60_000

/** Sockets and webhooks need the events that other processes publish. */
const READING: readonly Role[] = ['stream', 'worker']

type Events = Domain & {
  /** Events of the chain. */
  bus: Bus
  /** What was published on it in the last days. */
  eventLog: EventLog
  live: LiveEvents
}

/** `markets`: what events say of the market that they are about. */
export function createEvents(
  { config, store, redis, clock, log }: Platform,
  { markets }: { markets: MarketLookup },
): Events {
  const bus = new Bus({ clock, log })
  const eventLog = new EventLog({ store, bus, clock, keepDays: config.replayDays })
  const stream = redis && new EventStream({ redis, bus, eventLog })
  let syncedAt = Number.NEGATIVE_INFINITY
  const sync = async () => {
    if (stream?.isFollowing === true && performance.now() - syncedAt < SAFETY_SYNC_MS) return
    syncedAt = performance.now()
    await eventLog.sync()
  }
  return {
    bus,
    eventLog,
    live: new LiveEvents({ bus, eventLog, markets, clock, log }),
    jobs: [
      {
        name: 'event sync',
        everyMs: SYNC_MS,
        roles: READING,
        runsIn: 'every process',
        needsDatabase: true,
        run: sync,
      },
      {
        name: 'event log retention',
        everyMs: RETENTION_MS,
        roles: ['worker'],
        runsIn: 'one process',
        needsDatabase: true,
        run: () => eventLog.deleteOld(),
      },
      ...(stream === undefined ? [] : streamJobs(stream)),
    ],
    status: eventStatus(bus),
  }
}

const streamJobs = (stream: EventStream): Job[] => [
  {
    name: 'event stream',
    everyMs: 0,
    roles: READING,
    runsIn: 'every process',
    needsDatabase: true,
    run: (signal) => stream.follow(signal),
  },
  {
    name: 'event stream beat',
    everyMs: STREAM_BEAT_MS,
    roles: ['ingest'],
    runsIn: 'every process',
    needsDatabase: false,
    run: async () => stream.beat(),
  },
]

/** What the bus holds and has handed on. */
export function eventStatus(bus: Pick<Bus, 'status' | 'countBuffered' | 'subscribe'>): StatusPart {
  const missing = countMissingMetadata(bus)
  return {
    fields: () => {
      const { eventsBuffered, eventsProcessed, eventStoreBytes } = bus.status
      return {
        stream_length: bus.countBuffered('settlement'),
        events_stream_length: eventsBuffered,
        redis_memory: presentBytes(eventStoreBytes),
        state: { events_buffered: eventsBuffered, events_processed: eventsProcessed },
        metadata_observability: {
          ws_settlement_missing_full: missing.settlement.full,
          ws_settlement_missing_title: missing.settlement.title,
          ws_status_missing_full: missing.status_update.full,
          ws_status_missing_title: missing.status_update.title,
        },
      }
    },
  }
}

const MARKET_FIELDS = Object.keys(MARKET)

/** Counts the matches that were published before the catalogue had their market, or all of it. */
function countMissingMetadata(bus: Pick<Bus, 'subscribe'>) {
  const missing = { settlement: { full: 0, title: 0 }, status_update: { full: 0, title: 0 } }
  bus.subscribe(function countMissing(events) {
    for (const { type, data } of events) {
      if (type !== 'settlement' && type !== 'status_update') continue
      if (data.market_title === undefined) missing[type].title++
      if (MARKET_FIELDS.some((name) => data[name] === undefined)) missing[type].full++
    }
  })
  return missing
}

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
