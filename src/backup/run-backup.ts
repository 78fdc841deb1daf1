import { randomBytes } from 'node:crypto'
import { createWriteStream, existsSync, readFileSync, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Config } from '../config/config.js'
import { codeOf, messageOf, OperatorError } from '../core/errors.js'
import { formatCount, Progress } from '../lib/progress.js'
import { type TarEntry, writeTar } from '../lib/tar.js'
import type { Pool, Sql } from '../store/connection.js'
import { findCluster } from '../store/embedded/server-folders.js'
import { KEY_FILE } from '../store/key-file.js'
import { listCluster, listSegments, readClusterFile, readControlFile } from './cluster-files.js'
import { BackupChecksum, type BackupManifest, describeBackup, ENTRY_NAMES } from './manifest.js'

const MB = 1_000_000
/** Databases shrink to about a third with the fastest level; the next ones take twice the time for a few percent. */
const GZIP_LEVEL = 1

type BackupOptions = { pool: Pool; config: Config; file: string; signal: AbortSignal }

/**
 * Writes the embedded database, as it is at the end of the command, into one file, while a service goes on
 * working on it: PostgreSQL's own low-level base backup. The file gets its name when it is whole.
 */
export async function runBackup({ pool, config, file, signal }: BackupOptions): Promise<void> {
  refuseForeignServer(config)
  if (existsSync(file)) throw new OperatorError(`${file} is there already: name a new file.`)
  const clusterDir = findCluster(config.dataDir)
  if (clusterDir === undefined) throw new Error('the database has no folder')
  const partial = `${file}.partial-${process.pid}`
  try {
    const manifest = await describeBackup(pool, new Date())
    const entries = listEntries({ pool, clusterDir, dataDir: config.dataDir, manifest, signal })
    await pipeline(
      Readable.from(writeTar(entries), { objectMode: false }),
      createGzip({ level: GZIP_LEVEL }),
      createWriteStream(partial, { mode: 0o600, flags: 'wx', flush: true }),
      { signal },
    )

    await rename(partial, file)
    console.log(describeResult(file, manifest, config))
  } catch (error) {
    throw toOperatorError(error, file)
  } finally {
    await rm(partial, { force: true })
  }
}

function refuseForeignServer({ databaseUrl }: Config): void {
  if (databaseUrl === undefined) return
  throw new OperatorError(
    'DATABASE_URL names a server of your own: back it up with its own tools (pg_dump, pg_basebackup, snapshots\n' +
      'of your provider), and keep secret.key of the data folder, or AUSPEX_SECRET_KEY, with it.\n' +
      '`auspex backup` is for the embedded database.',
  )
}

function toOperatorError(error: unknown, file: string): unknown {
  const code = codeOf(error)
  if (code === 'ABORT_ERR') return new OperatorError(`Stopped: there is no ${file}.`, 130)
  if (code === undefined || !['EACCES', 'EPERM', 'ENOENT', 'ENOSPC', 'EEXIST', 'EROFS'].includes(code))
    return error
  return new OperatorError(`The backup cannot be made: ${messageOf(error)}`, 1, { cause: error })
}

function describeResult(file: string, manifest: BackupManifest, config: Config): string {
  const { block, dataset } = manifest
  const key = existsSync(join(config.dataDir, KEY_FILE))
    ? 'It holds secret.key, which decrypts the secrets of webhooks: keep the file as safe as that.'
    : 'It holds no secret.key, because the data folder has none: keep AUSPEX_SECRET_KEY with it, if it is set.'
  return [
    `Wrote ${file} (${formatCount(statSync(file).size / MB)} MB): dataset ${dataset}, block ${block ?? 'none'} or later.`,
    key,
    `To use it: auspex restore ${file} --data <new folder>`,
  ].join('\n')
}

type Source = {
  pool: Pool
  clusterDir: string
  dataDir: string
  manifest: BackupManifest
  signal: AbortSignal
}

/** All entries in their order, the checksum last. */
async function* listEntries({ manifest, dataDir, ...source }: Source): AsyncGenerator<TarEntry> {
  const checksum = new BackupChecksum()
  yield checksum.count(toEntry(ENTRY_NAMES.manifest, `${JSON.stringify(manifest, null, 2)}\n`))
  const keyPath = join(dataDir, KEY_FILE)
  if (existsSync(keyPath)) {
    yield checksum.count(toEntry(ENTRY_NAMES.key, readFileSync(keyPath)))
  }
  for await (const entry of copyCluster(source)) yield checksum.count(entry)
  yield toEntry(ENTRY_NAMES.checksum, checksum.digest())
}

function toEntry(name: string, content: string | Buffer): TarEntry {
  const bytes = Buffer.from(content)
  const body = (async function* () {
    yield bytes
  })()
  return { name, size: bytes.length, body }
}

/**
 * The files of the cluster and the WAL that brings them to one state. A temporary replication slot keeps
 * the WAL until then; it goes with its session, however that ends.
 */
async function* copyCluster(source: Omit<Source, 'manifest' | 'dataDir'>): AsyncGenerator<TarEntry> {
  const { pool, clusterDir, signal } = source
  const session = await pool.reserve()
  try {
    await session`set statement_timeout = 0`
    const name = `auspex_backup_${randomBytes(6).toString('hex')}`
    await session`select pg_create_physical_replication_slot(${name}, true, true)`
    await session`select pg_backup_start(${name}, true)`
    const files = listCluster(clusterDir)
    const total = files.reduce((sum, { size }) => sum + size, 0) / MB
    const progress = new Progress({ title: 'Copying the database', unit: 'MB', total })
    try {
      let done = 0
      for (const { path, size } of files) {
        signal.throwIfAborted()
        const entry = await toClusterEntry(clusterDir, path)
        if (entry !== undefined) yield entry
        done += size
        progress.show(done / MB)
      }
    } finally {
      progress.end()
    }
    yield* finishCopy(session, clusterDir)
    await session`select pg_drop_replication_slot(${name})`
  } finally {
    session.release()
  }
}

const toClusterEntry = async (clusterDir: string, path: string): Promise<TarEntry | undefined> => {
  const name = `${ENTRY_NAMES.cluster}${path}`
  return path.endsWith('/') ? toEntry(name, '') : readClusterFile(clusterDir, path, name)
}

async function* finishCopy(session: Sql, clusterDir: string): AsyncGenerator<TarEntry> {
  yield toEntry(`${ENTRY_NAMES.cluster}global/pg_control`, await readControlFile(clusterDir))
  const [stop] = await session<{ labelfile: string; lastSegment: string }[]>`
    select labelfile, pg_walfile_name(lsn) as last_segment from pg_backup_stop(false)`
  const firstSegment = /^START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)$/m.exec(stop?.labelfile ?? '')?.[1]
  if (stop === undefined || firstSegment === undefined) throw new Error('the backup has no label')
  yield toEntry(`${ENTRY_NAMES.cluster}backup_label`, stop.labelfile)
  for (const segment of listSegments(firstSegment, stop.lastSegment)) {
    const entry = await toClusterEntry(clusterDir, `pg_wal/${segment}`)
    if (entry === undefined) throw new Error(`the WAL segment ${segment} is gone`)
    yield entry
  }
}
