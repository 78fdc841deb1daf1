import { codeOf } from './errors.js'

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

/**
 * The code of an error of the database; `undefined`: the error is not one. Node.js gives errors of the
 * sockets of clients and upstreams, and of files, the same codes (`ECONNRESET`, `ENOENT`). Those of
 * the driver name the query that failed.
 */
export function databaseCodeOf(error: unknown): string | undefined {
  const code = codeOf(error)
  const isOfSystem = code?.startsWith('E') ?? false
  return isOfSystem && !('query' in (error as Error)) ? undefined : code
}

/** Whether the database cancelled the query because it took too long. */
export const isOverTime = (error: unknown): boolean => databaseCodeOf(error) === '57014'

/** Whether the database could not answer, as opposed to answering that the query is wrong. */
export function isOutage(error: unknown): boolean {
  const code = databaseCodeOf(error) ?? ''
  return TRANSPORT_CODES.has(code) || (code.length === 5 && OUTAGE_CLASSES.has(code.slice(0, 2)))
}
