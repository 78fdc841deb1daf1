import type { Context } from '../context.js'
import type { DomainWork } from '../jobs/job.js'
import { deleteOldCopies } from '../store/copies.js'

const HOUR_MS = 3_600_000

export const createSportsWork = ({ store, clock }: Context): DomainWork => ({
  jobs: [
    {
      name: 'upstream copies',
      everyMs: HOUR_MS,
      runsIn: 'one process',
      needsDatabase: true,
      run: async () => {
        await deleteOldCopies(store.sql, clock.now())
      },
    },
  ],
})
