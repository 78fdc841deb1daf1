import type { Domain } from '../http/domain.js'
import type { Platform } from '../platform.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { bookHistoryRoutes } from './history/routes.js'
import { LiveBooks } from './live-books.js'
import { countOpenTokens, selectOpenTokens } from './queries.js'
import { createRecording } from './recording/recording.js'
import { bookRoutes } from './routes.js'

type BooksDomain = Domain & { books: LiveBooks }

/** Live books work while they are followed; the jobs are those of their recording. */
export function createBooks(platform: Platform, { upstreams }: { upstreams: Upstreams }): BooksDomain {
  const { clock, log, metrics: registry } = platform
  const books = new LiveBooks({
    upstreams,
    selectOpenTokens: (limit) => selectOpenTokens(platform.sql, limit),
    countOpenTokens: () => countOpenTokens(platform.sql),
    log,
    clock,
    registry,
  })
  const recording = createRecording(platform, books)
  return {
    books,
    jobs: recording.jobs,
    routes: [bookRoutes(platform, { books, clob: upstreams.clob }), bookHistoryRoutes(platform)],
    status: {
      fields: () => {
        const { tokens, stale, sockets } = books.status
        return { orderbooks: { followed: tokens, stale, sockets, ...recording.status() } }
      },
    },
  }
}
