import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { createPool, type Pool, type Target } from '../src/store/connection.js'
import { TEMPLATE } from './global-setup.js'

export type TestDatabase = { target: Target; sql: Pool; control: Pool; drop(): Promise<void> }

type TestDatabaseOptions = { isEmpty?: boolean }

/** A database of the test's own: with the schema, or empty. */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { isEmpty = false } = options
  const socketDir = inject('socketDir')
  const database = `test_${randomBytes(6).toString('hex')}`
  const admin = createPool({ socketDir, database: 'postgres' }, 1)
  await admin`create database ${admin(database)} template ${admin(isEmpty ? 'template0' : TEMPLATE)} strategy file_copy`
  const target = { socketDir, database }
  const sql = createPool(target, 8)
  return {
    target,
    sql,
    control: sql,
    drop: async () => {
      await sql.end({ timeout: 1 })
      await admin`drop database ${admin(database)} with (force)`
      await admin.end()
    },
  }
}
