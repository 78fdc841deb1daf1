import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { makeOpenFolder } from '../../../test/open-folder.js'
import { hashTables } from '../../../test/table-hashes.js'
import { bookBlocks, bookHistory, type TestLedger } from '../../audit/test-booked-history.js'
import { OperatorError } from '../../core/errors.js'
import { runArchive } from '../run-archive.js'
import { createFolderStore } from '../store/folder-store.js'
import { restoreArchive } from './restore-archive.js'

/** Midnight is in the middle, and the day before has the contracts and the first markets. */
const HISTORY = { startMs: Date.UTC(2026, 10, 14, 23, 35), hours: 0.7, intensity: 2 }
const DAY = '2026-11-14'
/** What tells how a database came about. */
const OF_ITS_OWN = ['chain_state', 'dataset', 'partitions', 'recent_blocks']

let ledger: TestLedger
const folder = makeOpenFolder('restore')
const never = new AbortController().signal

beforeAll(async () => {
  ledger = await bookHistory(HISTORY)
  await runArchive({ pool: ledger.database.sql, store: createFolderStore(folder), dataset: '' }, never)
}, 120_000)
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await ledger.database.drop()
})

async function openDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  return database
}

const restoreInto = ({ sql }: TestDatabase, changes: object = {}, signal = never) =>
  restoreArchive({ pool: sql, store: createFolderStore(folder), ...changes }, signal)

async function readHashes({ sql }: TestDatabase) {
  const hashes = await hashTables(sql)
  for (const table of OF_ITS_OWN) delete hashes[table]
  return hashes
}

type PositionRow = Record<string, unknown>

async function readDayEnd(): Promise<PositionRow[]> {
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  const amounts = AMOUNTS.map((name) => `(${name} * 1000000)::bigint::varchar as ${name}`).join(', ')
  const reader = await connection.runAndReadAll(`
    select wallet_key, token_key, ${amounts}
      from read_parquet('${folder}/table=positions/*/*.parquet', hive_partitioning = true)
    qualify row_number() over (partition by wallet_key, token_key order by day desc) = 1
     order by wallet_key, token_key`)
  connection.closeSync()
  instance.closeSync()
  return reader.getRowObjectsJson()
}

const AMOUNTS = ['balance', 'held', 'cost', 'realized', 'bought', 'bought_cost', 'fees']

const readPositions = async ({ sql }: TestDatabase): Promise<PositionRow[]> =>
  Array.from(
    await sql.unsafe<PositionRow[]>(`
      select wallet as "wallet_key", token as "token_key",
             ${AMOUNTS.map((name) => `${name}::text as "${name}"`).join(', ')}
        from positions order by wallet, token`),
    (row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name.replace(/[A-Z]/g, (l) => `_${l.toLowerCase()}`),
          value,
        ]),
      ),
  )

test('a restored database is the original as it was at the end of the archive, and goes on as the original did', async () => {
  const [restored, original] = [await openDatabase(), await openDatabase()]
  const { block, facts } = await restoreInto(restored)
  expect(facts).toBeGreaterThan(10_000)
  await bookBlocks(ledger, original, { firstBlock: ledger.universe.chain.firstNumber, lastBlock: block })
  expect(await readHashes(restored)).toEqual(await readHashes(original))
  // The newest row of each wallet and token is its position at the end of the last day.
  expect(await readDayEnd()).toEqual(await readPositions(restored))

  await bookBlocks(ledger, restored, { firstBlock: block + 1 })
  expect(await readHashes(restored)).toEqual(await readHashes(ledger.database))
}, 120_000)

test('a restore that was stopped goes on where it was', async () => {
  const [stopped, whole] = [await openDatabase(), await openDatabase()]
  const stop = new AbortController()
  const onDay = ({ done }: { done: number }) => {
    if (done > 0) stop.abort()
  }
  await expect(restoreInto(stopped, { onDay }, stop.signal)).rejects.toThrow(/abort/)
  const stopFold = new AbortController()
  const onFold = () => stopFold.abort()
  await expect(restoreInto(stopped, { onFold }, stopFold.signal)).rejects.toThrow(/abort/)
  const { facts } = await restoreInto(stopped)
  expect(facts).toBe(0)
  await restoreInto(whole)
  expect(await readHashes(stopped)).toEqual(await readHashes(whole))
}, 120_000)

test('a database that has blocks already is refused', async () => {
  await expect(restoreInto(ledger.database)).rejects.toThrow(/holds blocks of the chain already/)
})

test('a file that was changed is refused before its rows are copied', async () => {
  const database = await openDatabase()
  const path = join(folder, `table=fills/day=${DAY}/part-0000.parquet`)
  const bytes = readFileSync(path)
  onTestFinished(() => writeFileSync(path, bytes))
  const spoiled = Buffer.from(bytes)
  spoiled[1_000] = (spoiled[1_000] ?? 0) ^ 1
  writeFileSync(path, spoiled)
  await expect(restoreInto(database)).rejects.toThrow(
    new OperatorError(
      `${folder}/table=fills/day=${DAY}/part-0000.parquet has another checksum than its manifest says.`,
    ),
  )
})
