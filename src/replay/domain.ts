import type { Bus } from '../bus/bus.js'
import type { Role } from '../config/roles.js'
import type { EventLog } from '../events/event-log.js'
import type { Domain } from '../http/domain.js'
import type { Platform } from '../platform.js'
import { EventRecord } from './event-record.js'
import { ReplayRecord } from './replay-record.js'

const DAY_MS = 24 * 60 * 60_000
const RETENTION_MS = 5 * 60_000
const SECOND_MS = 1_000

/** The events of a process without sockets are not those that a socket is sent. */
const SENDING: readonly Role[] = ['stream']

type ReplayDomain = Domain & {
  /** What live sockets were sent, for as long as it is kept. */
  replayRecord: ReplayRecord
}

type ReplayDeps = { bus: Bus; eventLog: EventLog; priceBus: Bus; scoreBus: Bus }

/** Records what live sockets are sent, so that it can be replayed. */
export function createReplay({ config, store, clock }: Platform, deps: ReplayDeps): ReplayDomain {
  const record = new EventRecord({ store, ...deps })
  return {
    replayRecord: new ReplayRecord(deps.eventLog),
    jobs: [
      {
        name: 'record of prices and scores',
        everyMs: SECOND_MS,
        roles: SENDING,
        runsIn: 'one process',
        needsDatabase: true,
        run: (signal) => record.run(signal),
      },
      {
        name: 'retention of the record',
        everyMs: RETENTION_MS,
        roles: ['worker'],
        runsIn: 'one process',
        needsDatabase: true,
        run: () => record.deleteBefore(clock.now() - config.replayDays * DAY_MS),
      },
    ],
  }
}
