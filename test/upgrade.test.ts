import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { migrate, readMigrations } from '../src/store/migrate.js'
import { transact } from '../src/store/transaction.js'
import { createTestDatabase, type TestDatabase, urlOf } from './database.js'
import { type Env, type Running, startAuspex, startCommand } from './processes.js'
import { RELEASED_SCHEMAS, type Release, readRelease } from './releases.js'

/** Differs from answer to answer: the last `bucket` of a profit is now. */
const VOLATILE = new Set(['elapsed_ms', 'last_used_at', 'next_cursor', 'bucket'])

const withoutVolatile = (body: object): object =>
  JSON.parse(JSON.stringify(body, (name, value) => (VOLATILE.has(name) ? undefined : value)))

describe.each(RELEASED_SCHEMAS)('a database that the release with schema %i made', (schema) => {
  const release = readRelease(schema)
  let database: TestDatabase
  let service: Running
  let env: Env
  beforeAll(async () => {
    database = await createTestDatabase({ isEmpty: true })
    await fill(database, release)
    env = {
      DATABASE_URL: urlOf(database),
      AUSPEX_DATASET: release.dataset,
      AUSPEX_SECRET_KEY: release.secretKey,
    }
    service = await startAuspex([], env)
  })
  afterAll(async () => {
    await service?.stop()
    await database?.drop()
  })

  const ask = async (path: string): Promise<object> => {
    const reply = await fetch(service.url + path, { headers: { 'x-api-key': release.key } })
    expect([path, reply.status]).toEqual([path, 200])
    return (await reply.json()) as object
  }

  test('is brought up to date by the first start of the service', async () => {
    const [row] = await database.sql`select max(version) as version from schema_migrations`
    expect(row?.version).toBe(readMigrations().at(-1)?.version)
  })

  test('has data in it', () => {
    expect(release.schema).toBe(schema)
    const rowsOf = (table: RegExp) =>
      release.tables.filter(({ name }) => table.test(name)).map(({ rows }) => JSON.parse(rows).length)
    for (const table of [/^fills_/, /^positions$/, /^markets$/, /^accounts$/, /^webhooks$/]) {
      expect(Math.max(...rowsOf(table))).toBeGreaterThan(0)
    }
  })

  test.each(Object.keys(release.answers))('is answered from as before, at %s', async (path) => {
    const before = release.answers[path] ?? {}
    expect(withoutVolatile(await ask(path))).toMatchObject(withoutVolatile(before))
  })

  test('gives answers that the release did not know', async () => {
    await vi.waitFor(async () => expect(await ask('/v3/stats')).toMatchObject({ total_fills: 3_583 }), {
      timeout: 60_000,
      interval: 500,
    })
  })

  test('passes the audit of everything', async () => {
    const { status, output } = await startCommand(['audit', '--all'], env)
    expect([status, output]).toEqual([0, expect.stringContaining('ok')])
  })
})

/** Brings a database to the schema of the release, with its rows in it. */
async function fill({ sql }: TestDatabase, { schema, partitions, tables, sequences }: Release) {
  await migrate(sql, readMigrations().slice(0, schema))
  await transact(sql, async (tx) => {
    // Rows come table by table, in no order that foreign keys would take.
    await tx`set local session_replication_role = replica`
    // Migrations write some rows, which the release has changed.
    const all = await tx<{ name: string }[]>`
      select relname as name from pg_class
       where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and relname <> 'schema_migrations'`
    await tx.unsafe(`truncate ${all.map(({ name }) => `"${name}"`).join(', ')}`)
    const existing = new Set(all.map(({ name }) => name))
    for (const statement of partitions) {
      const [, name = ''] = /^create table (\S+) /.exec(statement) ?? []
      if (!existing.has(name)) await tx.unsafe(statement)
    }
    for (const { name, columns, rows } of tables) {
      const list = columns.map((column) => `"${column}"`).join(', ')
      await tx.unsafe(
        `insert into "${name}" (${list}) overriding system value
         select ${list} from json_populate_recordset(null::"${name}", $1::text::json)`,
        [rows],
      )
    }
    for (const { name, value } of sequences) await tx`select setval(${`public.${name}`}::regclass, ${value})`
  })
}
