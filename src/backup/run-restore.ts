import { chownSync, createReadStream, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { open, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { runAudit } from '../audit/run-audit.js'
import type { Config } from '../config/config.js'
import { codeOf, messageOf, OperatorError } from '../core/errors.js'
import type { Log } from '../lib/log.js'
import { Progress } from '../lib/progress.js'
import { readTar, type TarEntry } from '../lib/tar.js'
import { createPool } from '../store/connection.js'
import { lockDataFolder, prepareDataFolder } from '../store/data-folder.js'
import { openDatabase } from '../store/database.js'
import { readServerVersion } from '../store/embedded/binaries.js'
import { startServer } from '../store/embedded/server.js'
import {
  prepareServerFolders,
  removeServerFolders,
  type ServerFolders,
} from '../store/embedded/server-folders.js'
import { KEY_FILE } from '../store/key-file.js'
import { migrate, readMigrations } from '../store/migrate.js'
import { BackupChecksum, type BackupManifest, ENTRY_NAMES, parseManifest } from './manifest.js'

const MB = 1_000_000
/** Recovery reads all that was written while the backup was made. */
const RECOVERY_MS_MAX = 4 * 3_600_000

type RestoreOptions = { config: Config; file: string; log: Log; signal: AbortSignal }

/** Puts a backup into an empty data folder, lets PostgreSQL recover it, and audits what came of it. */
export async function runRestore({ config, file, log, signal }: RestoreOptions): Promise<void> {
  const { dataDir } = config
  refuse(config, file)
  prepareDataFolder(dataDir)
  const manifest = await fillFolder(dataDir, file, signal)
  const { dataset, block, created_at } = manifest
  console.log(
    `Restored ${file} of ${created_at} into ${dataDir}: dataset ${dataset}, block ${block ?? 'none'} or later.`,
  )
  console.log('Auditing it:\n')
  await auditRestored(config, log)
  console.log(`\nThe database is ready: auspex up --data ${dataDir}`)
}

function refuse({ databaseUrl, dataDir }: Config, file: string): void {
  if (databaseUrl !== undefined) {
    throw new OperatorError(
      'DATABASE_URL is set, and a backup is of an embedded database: leave it out to restore one into --data.\n' +
        "A server of your own is restored with that server's tools.",
    )
  }
  if (!existsSync(file)) throw new OperatorError(`There is no file ${file}.`)
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new OperatorError(
      `The folder ${dataDir} is not empty: name a new one with --data <folder>.\n` +
        'Nothing is overwritten: move the old folder away first to restore in its place.',
    )
  }
}

/** The folder is empty again if anything fails. */
async function fillFolder(dataDir: string, file: string, signal: AbortSignal): Promise<BackupManifest> {
  const lock = lockDataFolder(dataDir, { command: 'auspex restore', isService: false })
  let isDone = false
  try {
    const folders = prepareServerFolders(dataDir)
    const manifest = await extract({ dataDir, folders, file, signal })
    const server = await startServer(dataDir, {}, RECOVERY_MS_MAX)
    await server.stop()
    isDone = true
    return manifest
  } catch (error) {
    if (error instanceof OperatorError) throw error
    if (codeOf(error) === 'ABORT_ERR') throw new OperatorError('Stopped: nothing is restored.', 130)
    throw new OperatorError(`${file} cannot be restored: ${messageOf(error)}`, 1, { cause: error })
  } finally {
    if (!isDone) {
      removeServerFolders(dataDir)
      rmSync(join(dataDir, KEY_FILE), { force: true })
    }
    lock.release()
  }
}

type Extraction = { dataDir: string; folders: ServerFolders; file: string; signal: AbortSignal }

/** The cluster is renamed to its final path, and the key is written, only when the checksum was right. */
async function extract({ dataDir, folders, file, signal }: Extraction): Promise<BackupManifest> {
  const newClusterDir = `${folders.clusterDir}.new.${process.pid}`
  const progress = new Progress({ title: 'Restoring', unit: 'MB', total: statSync(file).size / MB })
  const source = createReadStream(file, { highWaterMark: 256 * 1024, signal })
  source.on('data', () => progress.show(source.bytesRead / MB))
  const unzipped = createGunzip()
  source.on('error', (error) => unzipped.destroy(error))
  const checksum = new BackupChecksum()
  let manifest: BackupManifest | undefined
  let key: Buffer | undefined
  let isWhole = false
  try {
    makeFolder(newClusterDir, folders)
    for await (const entry of readTar(source.pipe(unzipped))) {
      const { name } = entry
      if (name === ENTRY_NAMES.checksum) {
        isWhole = (await readText(entry)) === checksum.digest()
        break
      }
      const counted = checksum.count(entry)
      if (name === ENTRY_NAMES.manifest) {
        manifest = parseManifest(await readText(counted), readServerVersion())
      } else if (manifest === undefined) {
        break
      } else if (name === ENTRY_NAMES.key) {
        key = Buffer.from(await readText(counted))
      } else {
        await extractFile(counted, newClusterDir, folders)
      }
    }
  } finally {
    progress.end()
    source.destroy()
  }
  if (manifest === undefined) throw new Error('it is no backup that `auspex backup` made')
  if (!isWhole) throw new Error('its contents do not add up to its checksum')
  if (key !== undefined) await writeFile(join(dataDir, KEY_FILE), key, { mode: 0o600, flush: true })
  await rename(newClusterDir, folders.clusterDir)
  return manifest
}

async function readText({ body }: TarEntry): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** Names that a backup has: nothing of them leads out of the folder. */
const SAFE_NAME = /^cluster\/(?:(?!\.\.?\/)[\w.-]+\/)*(?:(?!\.\.?$)[\w.-]+)?$/

async function extractFile(entry: TarEntry, newClusterDir: string, folders: ServerFolders): Promise<void> {
  const { name, body } = entry
  if (!SAFE_NAME.test(name)) throw new Error(`it has a file ${name}, which no database has`)
  const path = join(newClusterDir, name.slice(ENTRY_NAMES.cluster.length))
  if (name.endsWith('/')) {
    await readText(entry)
    return makeFolder(path, folders)
  }
  const target = await open(path, 'wx', 0o600)
  try {
    if (folders.user !== undefined) await target.chown(folders.user.uid, folders.user.gid)
    for await (const chunk of body) await target.writeFile(chunk)
    await target.sync()
  } finally {
    await target.close()
  }
}

function makeFolder(path: string, { user }: ServerFolders): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (user !== undefined) chownSync(path, user.uid, user.gid)
}

async function auditRestored(config: Config, log: Log): Promise<void> {
  const owner = { command: 'auspex restore', isService: false, log }
  const database = await openDatabase(config, owner)
  const pool = createPool(database.target, 2)
  try {
    await migrate(pool, readMigrations())
    await runAudit(pool, { ...config, polygonUrl: undefined }, { wallets: 1_000, blocks: 0 })
  } finally {
    await pool.end({ timeout: 1 })
    await database.close()
  }
}
