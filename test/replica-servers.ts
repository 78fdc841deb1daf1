import {
  chownSync,
  cpSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { listCluster } from '../src/backup/cluster-files.js'
import { findProcesses } from '../src/lib/process-identity.js'
import { createPool, type Pool } from '../src/store/connection.js'
import { findPostmaster } from '../src/store/embedded/postmaster.js'
import { type EmbeddedServer, startServer } from '../src/store/embedded/server.js'
import { findCluster, prepareServerFolders } from '../src/store/embedded/server-folders.js'
import { makeOpenFolder } from './open-folder.js'

/** Servers that start fast and forget everything when the machine fails. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  max_connections: 80,
  wal_keep_size: '256MB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
}
/** A standby asks a primary again that is away; waiting for it takes most of a test otherwise. */
const STANDBY = {
  ...SETTINGS,
  max_standby_streaming_delay: '50ms',
  wal_retrieve_retry_interval: '100ms',
  wal_receiver_status_interval: '1s',
}

const DATABASE = 'auspex'

export type TestServer = {
  url: string
  sql: Pool
  /** Of all processes of the server. */
  signal(name: NodeJS.Signals): void
  /** Starts it again after it was killed. */
  start(): Promise<void>
  stop(): Promise<void>
}

async function openTestServer(dataDir: string, settings: typeof SETTINGS): Promise<TestServer> {
  let server: EmbeddedServer = await startServer(dataDir, settings)
  const target = { socketDir: server.socketDir, database: DATABASE }
  const admin = createPool({ ...target, database: 'postgres' }, 1)
  const [known] = await admin`select from pg_database where datname = ${DATABASE}`
  if (known === undefined) await admin`create database ${admin(DATABASE)}`
  await admin.end()
  const sql = createPool(target, 4)
  const clusterDir = findCluster(dataDir) ?? ''
  return {
    url: `postgres://auspex@localhost/${DATABASE}?host=${server.socketDir}`,
    sql,
    signal: (name) => {
      const postmaster = findPostmaster(clusterDir)
      const children = findProcesses('postgres', clusterDir)
      for (const pid of new Set([...(postmaster ? [postmaster] : []), ...children])) process.kill(pid, name)
    },
    start: async () => {
      await server.exited
      server = await startServer(dataDir, settings)
    },
    stop: async () => {
      await sql.end({ timeout: 1 })
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export const openPrimary = (): Promise<TestServer> => openTestServer(makeOpenFolder('primary'), SETTINGS)

/** A hot standby from a copy of the primary's files, as `pg_basebackup` makes one. */
export async function openStandby(primary: TestServer): Promise<TestServer> {
  const socketDir = new URL(primary.url).searchParams.get('host') ?? ''
  const from = join(dirname(socketDir), 'cluster')
  const dataDir = makeOpenFolder('standby')
  const { clusterDir, user } = prepareServerFolders(dataDir)
  const session = await primary.sql.reserve()
  await session`select pg_backup_start('standby', true)`
  mkdirSync(clusterDir, { mode: 0o700 })
  for (const { path } of listCluster(from)) {
    if (path.endsWith('/')) mkdirSync(join(clusterDir, path), { recursive: true, mode: 0o700 })
    else cpSync(join(from, path), join(clusterDir, path))
  }
  cpSync(join(from, 'global/pg_control'), join(clusterDir, 'global/pg_control'))
  const [stop] = await session<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`
  session.release()
  const settings = readFileSync(join(from, 'postgresql.auto.conf'), 'utf8')
  writeFileSync(join(clusterDir, 'backup_label'), stop?.labelfile ?? '')
  writeFileSync(join(clusterDir, 'standby.signal'), '')
  const origin = `primary_conninfo = 'host=${socketDir} port=5432 user=auspex'\n`
  writeFileSync(join(clusterDir, 'postgresql.auto.conf'), settings + origin)
  if (user !== undefined) {
    chownSync(clusterDir, user.uid, user.gid)
    for (const name of readdirSync(clusterDir, { recursive: true, encoding: 'utf8' })) {
      lchownSync(join(clusterDir, name), user.uid, user.gid)
    }
  }
  return await openTestServer(dataDir, STANDBY)
}
