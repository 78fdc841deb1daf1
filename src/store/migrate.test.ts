import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { OperatorError } from '../core/errors.js'
import { createPool } from './connection.js'
import { type Migration, migrate, readMigrations, refuseWithoutExtension } from './migrate.js'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase({ isEmpty: true })
})
afterEach(() => database.drop())

const step = (version: number, sql: string): Migration => ({ version, sql, checksum: sql })
const versions = async () => {
  const rows = await database.sql`select version from schema_migrations order by version`
  return rows.map((row) => row.version)
}

describe('migrate', () => {
  test('lets ten processes start at once and applies every step once', async () => {
    const steps = [1, 2, 3].map((version) => step(version, `create table step_${version} ()`))
    const pools = Array.from({ length: 10 }, () => createPool(database.target, 1))
    const applied = await Promise.all(pools.map((pool) => migrate(pool, steps)))
    await Promise.all(pools.map((pool) => pool.end()))
    expect(applied.reduce((sum, count) => sum + count)).toBe(3)
    expect(await versions()).toEqual([1, 2, 3])
  })

  test('leaves nothing of a step that fails, and goes on from there when it is fixed', async () => {
    const first = step(1, 'create table one ()')
    const broken = step(2, 'create table two (); select 1 / 0')
    await expect(migrate(database.sql, [first, broken])).rejects.toThrow(/division by zero/)
    expect(await versions()).toEqual([1])
    expect(await migrate(database.sql, [first, step(2, 'create table two ()')])).toBe(1)
  })

  test('refuses a database that is newer than the code, and leaves it alone', async () => {
    const steps = [step(1, 'create table one ()'), step(2, 'create table two ()')]
    await migrate(database.sql, steps)
    const old = migrate(database.sql, steps.slice(0, 1))
    await expect(old).rejects.toThrow(OperatorError)
    await expect(old).rejects.toThrow(/newer than this Auspex: its schema is at version 2/)
    expect(await versions()).toEqual([1, 2])
  })

  test('accepts a newer database for a process that has used it before, if the steps it knows are the same', async () => {
    const steps = [step(1, 'create table one ()'), step(2, 'create table two ()')]
    await migrate(database.sql, steps)
    expect(await migrate(database.sql, steps.slice(0, 1), { allowsNewer: true })).toBe(0)
    const other = migrate(database.sql, [step(1, 'create table another ()')], { allowsNewer: true })
    await expect(other).rejects.toThrow(/made by a different Auspex/)
    expect(await versions()).toEqual([1, 2])
  })

  test('refuses a database whose steps were others', async () => {
    await migrate(database.sql, [step(1, 'create table one ()')])
    const other = migrate(database.sql, [step(1, 'create table another ()')])
    await expect(other).rejects.toThrow(/made by a different Auspex/)
  })

  test('says what to install when the server lacks an extension', async () => {
    const lacking = refuseWithoutExtension(database.sql, 'pg_absent')
    await expect(lacking).rejects.toThrow(OperatorError)
    await expect(lacking).rejects.toThrow(/extension pg_absent.*\n.*postgresql-contrib/)
    await expect(refuseWithoutExtension(database.sql, 'pg_trgm')).resolves.toBeUndefined()
  })

  test('says what to run when the user may not create an extension', async () => {
    const role = `guest_${Date.now()}`
    const { socketDir, database: name } = database.target as { socketDir: string; database: string }
    await database.sql`create role ${database.sql(role)} login`
    const url = `postgres://${role}@localhost/${name}?host=${encodeURIComponent(socketDir)}`
    const guest = createPool({ url }, 1)
    const refused = refuseWithoutExtension(guest, 'pg_trgm')
    await expect(refused).rejects.toThrow(/`create extension pg_trgm`.*as its owner/)
    await guest.end()
    await database.sql`drop role ${database.sql(role)}`
  })

  test('applies the migrations of this build to an empty database', async () => {
    const steps = readMigrations()
    expect(await migrate(database.sql, steps)).toBe(steps.length)
    expect(await migrate(database.sql, steps)).toBe(0)
  })
})
