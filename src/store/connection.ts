import postgres from 'postgres'
import { codeOf } from '../core/errors.js'
import { ARRAY_TYPES, teachArrays } from './array-types.js'
import { SUPERUSER } from './embedded/server.js'

/** What queries take: a pool and an open transaction both fit. `int8` arrives as `bigint`. */
export type Sql = postgres.ISql<{ bigint: bigint }>
/** A part of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>
export type Pool = postgres.Sql<{ bigint: bigint }>

/** How to reach a database: by URL, or by the folder of the embedded server's socket. */
export type Target = { url: string } | { socketDir: string; database: string }

/** Parts of a statement with the separator between them: `and`, `union all`. Throws without parts. */
export const joinFragments = (sql: Sql, parts: readonly Fragment[], separator: Fragment) =>
  parts.reduce((all, part) => sql`${all} ${separator} ${part}`)

const CONNECT_SECONDS_MAX = 5
const STATEMENT_MS_MAX = 30_000

/**
 * Opens nothing yet: connections are made when the first query asks for one. With `onClose` they are
 * not replaced when they get old, and it tells when one has ended.
 */
export function createPool(target: Target, connectionsMax: number, onClose?: () => void): Pool {
  const options = {
    max: connectionsMax,
    connect_timeout: CONNECT_SECONDS_MAX,
    // The store has its own, visible backoff; a query that cannot be sent shall fail at once.
    backoff: false,
    transform: postgres.camel,
    fetch_types: false,
    types: { ...ARRAY_TYPES, bigint: postgres.BigInt },
    onnotice: () => undefined,
    ...(onClose !== undefined && { onclose: onClose, max_lifetime: null }),
    connection: { application_name: 'auspex', statement_timeout: STATEMENT_MS_MAX },
  }
  const pool = open()
  teachArrays(pool)
  return pool

  function open() {
    if ('url' in target) {
      const { url, host } = takeSocketDir(target.url)
      return host === null ? postgres(url, options) : postgres(url, { ...options, host })
    }
    const { socketDir, database } = target
    return postgres({ ...options, host: socketDir, port: 5432, user: SUPERUSER, database })
  }
}

/** `?host=/folder/of/the/socket`, which every other PostgreSQL client understands. */
function takeSocketDir(text: string): { url: string; host: string | null } {
  const url = new URL(text)
  const host = url.searchParams.get('host')
  url.searchParams.delete('host')
  return { url: url.href, host }
}

// Node.js and postgres.js name transport faults; PostgreSQL sends five characters whose first two are a class.
const TRANSPORT_CODES = new Set(
  [
    'ECONNREFUSED ECONNRESET ENOENT EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH',
    'CONNECTION_CLOSED CONNECTION_ENDED CONNECTION_DESTROYED CONNECT_TIMEOUT',
    // admin_shutdown, crash_shutdown, cannot_connect_now, database_dropped, query_canceled
    '57P01 57P02 57P03 57P04 57014',
    // a primary that became a standby
    '25006',
  ].flatMap((codes) => codes.split(' ')),
)
const OUTAGE_CLASSES = new Set(['08', '53'])

/** Whether the database could not answer, as opposed to answering that the query is wrong. */
export function isOutage(error: unknown): boolean {
  const code = codeOf(error) ?? ''
  return TRANSPORT_CODES.has(code) || (code.length === 5 && OUTAGE_CLASSES.has(code.slice(0, 2)))
}
