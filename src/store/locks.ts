import type { Fragment, Sql } from './connection.js'

/**
 * To be selected in a session that holds locks for long: a machine that crashes closes no connection, and the database
 * shall notice within three seconds.
 */
export const keepSessionAlive = (sql: Sql): Fragment => sql`
  set_config('tcp_keepalives_idle', '1', false),
  set_config('tcp_keepalives_interval', '1', false),
  set_config('tcp_keepalives_count', '2', false)`

/** The first number of the locks of jobs; the second is the hash of the job's name. */
export const JOB_LOCKS = 728_531_904

/** Advisory locks of a database: fixed numbers that no other program uses on it. */
export const LOCKS = {
  migration: 7_285_319_041n,
  /** Held by the one process that books the chain. */
  lease: 7_285_319_042n,
  /** Held while names get numbers or lose them. */
  names: 7_285_319_043n,
  /** Held by the one backfill that runs. */
  backfill: 7_285_319_044n,
  /** Held while partitions are made. */
  partitions: 7_285_319_045n,
  /** Held by the one run of the archive. */
  archive: 7_285_319_046n,
}
