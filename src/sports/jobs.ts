import type { Context } from '../context.js'
import type { DomainWork } from '../jobs/job.js'
import { deleteExpiredAnswers } from '../store/stored-cache.js'

const HOUR_MS = 3_600_000

export const createSportsWork = ({ store, clock }: Context): DomainWork => ({
  jobs: [
    {
      name: 'upstream copies',
      everyMs: HOUR_MS,
      runsIn: 'one process',
      needsDatabase: true,
      run: async () => {
        await deleteExpiredAnswers(store.sql, clock.now())
      },
    },
  ],
})
