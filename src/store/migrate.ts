import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { OperatorError } from '../core/errors.js'
import type { Pool, Sql } from './connection.js'
import { LOCKS } from './locks.js'
import { transact } from './transaction.js'

export type Migration = { version: number; sql: string; checksum: string }

/** The oldest PostgreSQL that will do. */
export const SERVER_VERSION_MIN = 15

/** The migrations of this build, oldest first: `migrations/000001.sql` and so on. */
export function readMigrations(folder = new URL('./migrations/', import.meta.url)): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{6}\.sql$/.test(name))
    .sort()
    .map((name) => {
      const sql = readFileSync(new URL(name, folder), 'utf8')
      const checksum = createHash('sha256').update(sql).digest('hex')
      return { version: Number(name.slice(0, 6)), sql, checksum }
    })
}

type MigrateOptions = {
  /**
   * Whether a schema that a newer version has migrated further is accepted: by a process that has used the database
   * before. Steps within a release only add to what older versions know.
   */
  allowsNewer?: boolean
}

/**
 * Brings the schema up to date, forward only, each step in a transaction of its own. Any number of
 * processes may call it at once: the lock is taken and the state read again for every step.
 */
export async function migrate(
  pool: Pool,
  migrations: Migration[],
  { allowsNewer = false }: MigrateOptions = {},
): Promise<number> {
  await refuseOldServer(pool)
  await refuseWithoutExtension(pool, 'pg_trgm')
  let applied = 0
  while (await transact(pool, (tx) => applyNext(tx, migrations, allowsNewer))) applied++
  return applied
}

async function applyNext(tx: Sql, migrations: Migration[], allowsNewer: boolean): Promise<boolean> {
  await tx`select pg_advisory_xact_lock(${LOCKS.migration})`
  await tx`
    create table if not exists schema_migrations (
      version integer primary key,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`
  const done = await tx<AppliedStep[]>`
    select version, checksum from schema_migrations order by version`
  if (!allowsNewer) refuseNewerSchema(done, migrations)
  refuseForeignSchema(done.slice(0, migrations.length), migrations)

  const next = migrations[done.length]
  if (next === undefined) return false
  // A big index may take longer than any query is allowed to.
  await tx`set local statement_timeout = 0`
  await tx.unsafe(next.sql)
  await tx`
    insert into schema_migrations (version, checksum) values (${next.version}, ${next.checksum})`
  return true
}

type AppliedStep = { version: number; checksum: string }

function refuseNewerSchema(done: readonly AppliedStep[], migrations: Migration[]): void {
  const newest = migrations.at(-1)?.version ?? 0
  const last = done.at(-1)?.version ?? 0
  if (last > newest) {
    throw new OperatorError(
      `The database is newer than this Auspex: its schema is at version ${last}, this build knows ${newest}.\n` +
        'Install the Auspex that made it, or a later one; schemas are never taken back.',
    )
  }
}

function refuseForeignSchema(done: readonly AppliedStep[], migrations: Migration[]): void {
  for (const [index, row] of done.entries()) {
    const ours = migrations[index]
    if (ours?.version !== row.version || ours.checksum !== row.checksum) {
      throw new OperatorError(
        `The database was made by a different Auspex: schema version ${row.version} is not the one of this build.\n` +
          'Use the build that made it, or an empty database.',
      )
    }
  }
}

async function refuseOldServer(sql: Sql): Promise<void> {
  const [row] = await sql<{ serverVersionNum: string; serverVersion: string }[]>`
    select current_setting('server_version_num') as server_version_num,
           current_setting('server_version') as server_version`
  if (Number(row?.serverVersionNum) < SERVER_VERSION_MIN * 10_000) {
    throw new OperatorError(
      `PostgreSQL ${row?.serverVersion} is too old: Auspex needs version ${SERVER_VERSION_MIN} or later.`,
    )
  }
}

/** Search needs an extension that comes with PostgreSQL, but that some packages of it leave out. */
export async function refuseWithoutExtension(sql: Sql, name: string): Promise<void> {
  const [row] = await sql<{ isInstalled: boolean; isAvailable: boolean; mayCreate: boolean }[]>`
    select exists (select from pg_extension where extname = ${name}) as is_installed,
           exists (select from pg_available_extensions ext where ext.name = ${name}) as is_available,
           has_database_privilege(current_database(), 'create') as may_create`
  if (row === undefined || row.isInstalled) return
  if (!row.isAvailable) {
    throw new OperatorError(
      `The PostgreSQL server does not have the extension ${name}, which search needs.\n` +
        'It is part of PostgreSQL: install the package postgresql-contrib of its version on that server.',
    )
  }
  if (!row.mayCreate) {
    throw new OperatorError(
      `The user of the database may not create the extension ${name}, which search needs.\n` +
        `Run \`create extension ${name}\` in the database as its owner or as a superuser.`,
    )
  }
}
