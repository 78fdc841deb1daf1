import { rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { createPool } from '../src/store/connection.js'
import { startServer } from '../src/store/embedded/server.js'
import { migrate, readMigrations } from '../src/store/migrate.js'
import { makeOpenFolder } from './open-folder.js'

declare module 'vitest' {
  interface ProvidedContext {
    socketDir: string
    /** A folder for files that test files share; it is removed at the end of the run. */
    sharedDir: string
  }
}

/** The database that every test database is copied from: migrated once, used by no test. */
export const TEMPLATE = 'auspex_template'

/** One real PostgreSQL for the whole run. It may forget everything when the machine fails. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = makeOpenFolder('test')
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
  const server = await startServer(dataDir, { ...settings, shared_buffers: '64MB' })

  const admin = createPool({ socketDir: server.socketDir, database: 'postgres' }, 1)
  await admin`create database ${admin(TEMPLATE)}`
  await admin.end()
  const template = createPool({ socketDir: server.socketDir, database: TEMPLATE }, 1)
  await migrate(template, readMigrations())
  await template.end()

  project.provide('socketDir', server.socketDir)
  project.provide('sharedDir', dataDir)
  return async () => {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
