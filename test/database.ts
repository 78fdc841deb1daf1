import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { createLog } from '../src/lib/log.js'
import { createPool, type Pool, type Target } from '../src/store/connection.js'
import { Replicas } from '../src/store/replicas/replicas.js'
import { TEMPLATE } from './global-setup.js'

export type TestDatabase = { target: Target; sql: Pool; control: Pool; drop(): Promise<void> }

type TestDatabaseOptions = {
  isEmpty?: boolean
  /** The name of the database that it is a copy of; absent: the one that has the schema alone. */
  template?: string
}

/** What a service needs of a database, with one pool for everything. */
export const storeOf = (sql: Pool, control = sql) => ({
  sql,
  answers: sql,
  heavyAnswers: sql,
  readsMax: { light: 8, heavy: 1 },
  control,
  problem: undefined,
  replicas: NO_REPLICAS,
})

export const NO_REPLICAS = new Replicas({
  urls: [],
  connections: { light: 8, heavy: 1 },
  log: createLog('error', process.stderr),
})

/** A database of the test's own: a copy of a template, or empty. */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { isEmpty = false, template = TEMPLATE } = options
  const database = `test_${randomBytes(6).toString('hex')}`
  const admin = openAdmin()
  await admin`create database ${admin(database)} template ${admin(isEmpty ? 'template0' : template)} strategy file_copy`
  const opened = openDatabase(database)
  return {
    ...opened,
    drop: async () => {
      await opened.drop()
      await admin`drop database ${admin(database)} with (force)`
      await admin.end()
    },
  }
}

/**
 * The template of this name, which the first test file that asks for it fills; others wait for it. It
 * lasts until the end of the run.
 */
export async function ensureTemplate(
  name: string,
  fill: (database: TestDatabase) => Promise<void>,
): Promise<string> {
  const admin = openAdmin()
  await admin`select pg_advisory_lock(hashtext(${name}))`
  const [known] = await admin`select from pg_database where datname = ${name}`
  if (known === undefined) {
    const draft = `${name}_draft`
    await admin`create database ${admin(draft)} template ${admin(TEMPLATE)} strategy file_copy`
    const database = openDatabase(draft)
    await fill(database)
    await database.drop()
    await admin`alter database ${admin(draft)} rename to ${admin(name)}`
  }
  await admin.end()
  return name
}

const openAdmin = (): Pool => createPool({ socketDir: inject('socketDir'), database: 'postgres' }, 1)

/** Its `drop` ends the connections and leaves the database. */
function openDatabase(database: string): TestDatabase {
  const target = { socketDir: inject('socketDir'), database }
  const sql = createPool(target, 8)
  return { target, sql, control: sql, drop: () => sql.end({ timeout: 1 }) }
}

/** As an operator writes it: a service that gets it takes the database for one of a given server. */
export const urlOf = ({ target }: Pick<TestDatabase, 'target'>): string =>
  'url' in target ? target.url : `postgres://auspex@localhost/${target.database}?host=${target.socketDir}`
