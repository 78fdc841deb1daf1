import type { Context } from '../context.js'
import type { DomainWork } from '../jobs/job.js'
import { eventStatus } from './status.js'

/** How late events are in processes that do not book the chain. */
const SYNC_MS = 250
const RETENTION_MS = 5 * 60_000

export function createEventWork({ bus, eventLog }: Context): DomainWork {
  return {
    jobs: [
      {
        name: 'event sync',
        everyMs: SYNC_MS,
        runsIn: 'every process',
        needsDatabase: true,
        run: () => eventLog.sync(),
      },
      {
        name: 'event log retention',
        everyMs: RETENTION_MS,
        runsIn: 'one process',
        needsDatabase: true,
        run: () => eventLog.deleteOld(),
      },
    ],
    status: eventStatus(bus),
  }
}
