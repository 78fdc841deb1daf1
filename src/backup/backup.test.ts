import { createReadStream, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { TestDatabase } from '../../test/database.js'
import { ingest } from '../../test/ingest.js'
import { createDataDir } from '../../test/processes.js'
import { hashTables } from '../../test/table-hashes.js'
import { type FollowWorld, openWorld } from '../chain/follow/test-follow.js'
import { loadConfig } from '../config/config.js'
import { readTar } from '../lib/tar.js'
import { createPool } from '../store/connection.js'
import { type Database, openDatabase } from '../store/database.js'
import { claimDatabase } from '../store/dataset.js'
import { readServerVersion } from '../store/embedded/binaries.js'
import { migrate, readMigrations } from '../store/migrate.js'
import { SecretBox } from '../store/secret-box.js'
import { parseManifest } from './manifest.js'
import { runBackup } from './run-backup.js'
import { runRestore } from './run-restore.js'

const TIMEOUT_MS = 180_000
const OWNER = 'the webhook wh_1'
const SETTINGS = { fsync: 'off', shared_buffers: '16MB' }
const log = pino({ level: 'silent' })
const { signal } = new AbortController()

type Opened = TestDatabase & { dataDir: string; secrets: SecretBox }

const folders: ReturnType<typeof createDataDir>[] = []
let world: FollowWorld
let service: Opened
let file: string

const configOf = (dataDir: string) => ({ ...loadConfig({}).config, dataDir })

function newFolder(): string {
  const folder = createDataDir()
  folders.push(folder)
  return folder.dataDir
}

async function open(dataDir: string): Promise<Opened> {
  const owner = { command: 'a test', isService: true, log, settings: SETTINGS }
  const database: Database = await openDatabase({ databaseUrl: undefined, dataDir }, owner)
  const sql = createPool(database.target, 4)
  await migrate(sql, readMigrations())
  const secrets = new SecretBox({ config: { secretKey: undefined, dataDir }, store: { sql } })
  const drop = async () => {
    await sql.end({ timeout: 1 })
    await database.close()
  }
  return { target: database.target, sql, control: sql, drop, dataDir, secrets }
}

const blockOf = async ({ sql }: Opened) => Number((await sql`select block from chain_state`)[0]?.block)

const restore = (from: string, dataDir: string) =>
  runRestore({ config: configOf(dataDir), file: from, log, signal })

/** Several, because one alone may mean the same: pages of zeros are copies of any zeros before them. */
function flipBytes(bytes: Buffer): Buffer {
  const from = Math.floor(bytes.length / 3)
  for (let at = from; at < from + 64; at++) bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at)
  return bytes
}

beforeAll(async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined)
  world = await openWorld({ seed: 19, historyMs: 300_000 })
  service = await open(newFolder())
  await claimDatabase(service.sql, 'a test')
  file = join(service.dataDir, '../backup.tar.gz')
}, TIMEOUT_MS)
afterAll(async () => {
  vi.restoreAllMocks()
  await service.drop()
  await world.close()
  for (const folder of folders) folder.remove()
})

test(
  'a backup beside a service that writes is restored, audited, and goes on as the service did',
  async () => {
    const encrypted = await service.secrets.encrypt('whsec_1', OWNER)
    const line = await ingest(world, service)
    await vi.waitFor(async () => expect(await blockOf(service)).toBeGreaterThan(0), 20_000)
    const beforeBlock = await blockOf(service)
    const clock = setInterval(() => world.makeBlock(), 10)
    onTestFinished(() => clearInterval(clock))
    await runBackup({ pool: service.sql, config: configOf(service.dataDir), file, signal })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(file, '..')).filter((name) => name.includes('partial'))).toEqual([])
    const afterBlock = await blockOf(service)
    expect(afterBlock).toBeGreaterThan(beforeBlock)
    clearInterval(clock)
    await line.arrive()
    await line.stop()

    const dataDir = newFolder()
    await restore(file, dataDir)
    const restored = await open(dataDir)
    onTestFinished(() => restored.drop())
    expect(await blockOf(restored)).toBeGreaterThanOrEqual(beforeBlock)
    expect(await blockOf(restored)).toBeLessThanOrEqual(afterBlock)
    expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600)
    expect(await restored.secrets.decrypt(encrypted, OWNER)).toBe('whsec_1')

    const next = await ingest(world, restored)
    await next.arrive()
    await next.stop()
    expect(await hashTables(restored.sql)).toEqual(await hashTables(service.sql))
  },
  TIMEOUT_MS,
)

test('of another kind of machine, or into a folder that holds something: refused', async () => {
  await expect(restore(file, service.dataDir)).rejects.toThrow(/is not empty: name a new one/)
  const { value: manifest } = await readTar(createReadStream(file).pipe(createGunzip())).next()
  expect(manifest?.name).toBe('manifest.json')
  let text = ''
  for await (const chunk of manifest?.body ?? []) text += chunk.toString()
  expect(JSON.parse(text)).toMatchObject({ dataset: 'a test', postgres: readServerVersion() })
  expect(() => parseManifest(text, 17)).toThrow(/with PostgreSQL \d+ on .* cannot read its files/)
  const newer = JSON.stringify({ ...JSON.parse(text), schema: 9_999 })
  expect(() => parseManifest(newer, readServerVersion())).toThrow(/is newer than this version/)
})

test.each<[string, (bytes: Buffer) => Buffer, RegExp]>([
  ['a file that is cut short', (bytes) => bytes.subarray(0, bytes.length / 2), /cannot be restored/],
  ['changed bytes', flipBytes, /cannot be restored/],
])('%s is refused, and the folder stays empty', async (_what, spoil, message) => {
  const spoilt = `${file}.spoilt`
  writeFileSync(spoilt, spoil(readFileSync(file)))
  const dataDir = newFolder()
  await expect(restore(spoilt, dataDir)).rejects.toThrow(message)
  expect(readdirSync(dataDir)).toEqual([])
})

test('a backup that is stopped leaves no file, and one of a given database is refused', async () => {
  const config = configOf(service.dataDir)
  const other = `${file}.2`
  const stopped = runBackup({
    pool: service.sql,
    config,
    file: other,
    signal: AbortSignal.timeout(5),
  })
  await expect(stopped).rejects.toThrow(/Stopped/)
  expect(existsSync(other)).toBe(false)
  const again = runBackup({ pool: service.sql, config, file, signal })
  await expect(again).rejects.toThrow(/is there already/)
  const given = { ...config, databaseUrl: 'postgres://127.0.0.1/x' }
  const ofGiven = runBackup({ pool: service.sql, config: given, file: other, signal })
  await expect(ofGiven).rejects.toThrow(/its own tools/)
})
