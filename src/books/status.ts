import type { DomainWork } from '../jobs/job.js'
import type { LiveBooks } from './live-books.js'

/** Live books have no jobs of their own: they work while they are followed. */
export const createBookWork = ({ books }: { books: LiveBooks }): DomainWork => ({
  jobs: [],
  status: {
    fields: () => {
      const { tokens, stale, sockets } = books.status
      return { orderbooks: { followed: tokens, stale, sockets } }
    },
  },
})
