import type { Config } from '../config/config.js'
import { maskPassword } from '../config/setting.js'
import { messageOf, OperatorError } from '../core/errors.js'
import { createLog } from '../lib/log.js'
import { createPool, type Sql } from '../store/connection.js'
import { borrowDatabase } from '../store/database.js'
import { findCluster } from '../store/embedded/server-folders.js'
import { readMigrations, SERVER_VERSION_MIN } from '../store/migrate.js'
import { findKeyProblem } from '../store/secret-box.js'
import { countConnections } from '../store/store.js'
import { type Diagnosis, failedBy, fine } from './diagnosis.js'
import { judgeClock } from './machine.js'

type ServerSetting = { name: string; isGood: (value: string) => boolean; todo: string }

/** Of a server of the operator's own; the embedded one is started with the right ones. */
const SETTINGS_WANTED: readonly ServerSetting[] = [
  {
    name: 'fsync',
    isGood: (value) => value === 'on',
    todo: 'Set fsync = on: a machine that fails would destroy the database.',
  },
  {
    name: 'full_page_writes',
    isGood: (value) => value === 'on',
    todo: 'Set full_page_writes = on, unless the disk writes whole pages.',
  },
  {
    name: 'server_encoding',
    isGood: (value) => value === 'UTF8',
    todo: "Make the database with encoding 'UTF8'.",
  },
  {
    name: 'max_locks_per_transaction',
    isGood: (value) => Number(value) >= 128,
    todo: 'Set max_locks_per_transaction = 256: a query of fills locks every partition and its indexes.',
  },
  {
    name: 'jit',
    isGood: (value) => value === 'off',
    todo: 'Set jit = off: compiling takes longer than most queries.',
  },
]

/** Reads only: migrations are left to the service. */
export async function checkDatabase(config: Config): Promise<Diagnosis[]> {
  const { databaseUrl, dataDir } = config
  if (databaseUrl === undefined && findCluster(dataDir) === undefined) {
    return [{ part: 'database', state: 'off', found: 'none yet: `auspex up` makes it' }]
  }
  const log = createLog('error', process.stderr)
  const address = databaseUrl === undefined ? 'embedded' : maskPassword(databaseUrl)
  try {
    const database = await borrowDatabase(config, { command: 'auspex doctor', isService: false, log })
    const sql = createPool(database.target, 1)
    try {
      return await askServer(sql, config, address)
    } finally {
      await sql.end({ timeout: 1 })
      await database.close()
    }
  } catch (error) {
    if (error instanceof OperatorError) return [failedBy('database', error)]
    const todo = 'Start it, or mend DATABASE_URL: `psql "$DATABASE_URL"` must work.'
    return [{ part: 'database', state: 'failed', found: `${address}: ${messageOf(error)}`, todo }]
  }
}

async function askServer(sql: Sql, config: Config, address: string): Promise<Diagnosis[]> {
  const settings = await sql<{ name: string; setting: string }[]>`select name, setting from pg_settings`
  const values = new Map(settings.map(({ name, setting }) => [name, setting]))
  const version = Number(values.get('server_version_num'))
  if (version < SERVER_VERSION_MIN * 10_000) {
    const found = `${address}, PostgreSQL ${values.get('server_version')}`
    return [
      { part: 'database', state: 'failed', found, todo: `Use PostgreSQL ${SERVER_VERSION_MIN} or later.` },
    ]
  }
  const askedMs = Date.now()
  const [state] = await sql<{ bytes: number; nowMs: number; isEmpty: boolean }[]>`
    select pg_database_size(current_database())::float8 as bytes,
           extract(epoch from clock_timestamp())::float8 * 1000 as now_ms,
           to_regclass('schema_migrations') is null as is_empty`
  const { bytes = 0, nowMs = 0, isEmpty = true } = state ?? {}
  const size = `${(bytes / 2 ** 30).toFixed(2)} GiB`
  const server = fine('database', `${address}, PostgreSQL ${values.get('server_version')}, ${size}`)
  const own = config.databaseUrl === undefined ? [] : checkSettings(values, config)
  const clock = judgeClock('database clock', nowMs - (askedMs + Date.now()) / 2, 'this machine')
  if (isEmpty) {
    return [
      server,
      ...own,
      clock,
      { part: 'schema', state: 'off', found: 'empty: `auspex up` makes its tables' },
    ]
  }
  return [server, ...own, clock, await checkSchema(sql), await checkKeys(sql), await checkSecret(sql, config)]
}

function checkSettings(values: ReadonlyMap<string, string>, config: Config): Diagnosis[] {
  const wrong = SETTINGS_WANTED.flatMap(({ name, isGood, todo }): Diagnosis[] => {
    const value = values.get(name) ?? ''
    return isGood(value)
      ? []
      : [{ part: 'database settings', state: 'warning', found: `${name} is ${value}`, todo }]
  })
  const needed = countConnections(config.databaseConnections) + INGEST_CONNECTIONS
  const allowed = Number(values.get('max_connections')) - Number(values.get('superuser_reserved_connections'))
  if (allowed < needed) {
    wrong.push({
      part: 'database settings',
      state: 'failed',
      found: `${allowed} connections are allowed, and each process needs ${needed}`,
      todo: 'Raise max_connections, or lower AUSPEX_DATABASE_CONNECTIONS.',
    })
  }
  return wrong.length === 0 ? [fine('database settings', 'as they should be')] : wrong
}

/** The lease of the chain, and the ingest. */
const INGEST_CONNECTIONS = 3

async function checkSchema(sql: Sql): Promise<Diagnosis> {
  const [row] = await sql<
    { version: number }[]
  >`select max(version)::integer as version from schema_migrations`
  const has = row?.version ?? 0
  const newest = readMigrations().at(-1)?.version ?? 0
  if (has === newest) return fine('schema', `version ${has}`)
  const found = `version ${has}, and this program has ${newest}`
  if (has < newest)
    return { part: 'schema', state: 'warning', found, todo: 'The next `auspex up` brings it up to date.' }
  return { part: 'schema', state: 'failed', found, todo: 'A newer Auspex has used it: install that version.' }
}

async function checkKeys(sql: Sql): Promise<Diagnosis> {
  const [row] = await sql<{ accounts: number; keys: number }[]>`
    select (select count(*)::integer from accounts) as accounts,
           (select count(*)::integer from api_keys where revoked_at is null) as keys`
  const { accounts = 0, keys = 0 } = row ?? {}
  const finding = fine('keys', `${keys} of ${accounts} accounts`)
  if (keys > 0) return finding
  return {
    ...finding,
    state: 'warning',
    todo: '`auspex dashboard` prints a link that makes the first account.',
  }
}

/** Without the right key no webhook can be signed. */
async function checkSecret(sql: Sql, config: Config): Promise<Diagnosis> {
  const problem = await findKeyProblem(sql, config)
  if (problem === undefined) return fine('secret key', 'fits the database')
  const todo = 'Put back secret.key of the first data folder, or set AUSPEX_SECRET_KEY.'
  return { part: 'secret key', state: 'failed', found: problem, todo }
}
