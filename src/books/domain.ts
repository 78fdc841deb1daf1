import type { Domain } from '../http/domain.js'
import type { Platform } from '../platform.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { LiveBooks } from './live-books.js'
import { countOpenTokens, selectOpenTokens } from './queries.js'
import { bookRoutes } from './routes.js'

type BooksDomain = Domain & { books: LiveBooks }

/** Live books have no jobs of their own: they work while they are followed. */
export function createBooks(platform: Platform, { upstreams }: { upstreams: Upstreams }): BooksDomain {
  const { log, metrics: registry } = platform
  const books = new LiveBooks({
    upstreams,
    selectOpenTokens: (limit) => selectOpenTokens(platform.sql, limit),
    countOpenTokens: () => countOpenTokens(platform.sql),
    log,
    registry,
  })
  return {
    books,
    routes: [bookRoutes(platform, { books, clob: upstreams.clob })],
    status: {
      fields: () => {
        const { tokens, stale, sockets } = books.status
        return { orderbooks: { followed: tokens, stale, sockets } }
      },
    },
  }
}
