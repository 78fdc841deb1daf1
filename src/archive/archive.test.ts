import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { makeOpenFolder } from '../../test/open-folder.js'
import { bookHistory, type TestLedger } from '../audit/test-booked-history.js'
import { REORG_BLOCKS_MAX } from '../core/blocks.js'
import { selectFinalDays } from './days.js'
import { dayManifestPath, readDays, readTableManifest, tableManifestPath } from './manifest.js'
import { restoreArchive } from './restore/restore-archive.js'
import { type ArchiveOptions, runArchive } from './run-archive.js'
import type { ArchiveStore } from './store/archive-store.js'
import { createFolderStore } from './store/folder-store.js'
import { createS3Store } from './store/s3-store.js'
import { startS3Server } from './store/test-s3-server.js'
import { verifyArchive } from './verify-archive.js'

/** Shortly before midnight: one day is over, and the next one is not. */
const START_MS = Date.UTC(2026, 10, 14, 23, 48)
const DAY = '2026-11-14'

let ledger: TestLedger
/** One that no test changes. */
let folder: string
const never = new AbortController().signal

beforeAll(async () => {
  ledger = await bookHistory({ startMs: START_MS, hours: 0.4, intensity: 2 })
  folder = makeOpenFolder('archive')
  await archiveInto(folder)
}, 120_000)
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await ledger.database.drop()
})

type Changes = Partial<Omit<ArchiveOptions, 'pool'>>

const archiveInto = (where: string, changes: Changes = {}, signal = never) =>
  runArchive({ pool: ledger.database.sql, store: createFolderStore(where), dataset: '', ...changes }, signal)

function openFolder(): string {
  const opened = makeOpenFolder('archive')
  onTestFinished(() => rmSync(opened, { recursive: true, force: true }))
  return opened
}

/** Path -> checksum of every file, as the manifests have it. */
async function readChecksums(where: string): Promise<Record<string, string>> {
  const store = createFolderStore(where)
  const checksums: Record<string, string> = {}
  for (const { tables } of await readDays(store)) {
    for (const { manifest } of tables) {
      for (const { path, sha256 } of (await readTableManifest(store, manifest))?.files ?? [])
        checksums[path] = sha256
    }
  }
  return checksums
}

/** The files of a table as DuckDB sees them, without help. */
const filesOf = (table: string, where = folder) =>
  `read_parquet('${where}/table=${table}/*/*.parquet', hive_partitioning = true)`

async function ask(statement: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(statement)).getRowObjectsJson()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

describe('which days are archived', () => {
  test('a day is final when a block of the next one is below the reach of reorganisations', async () => {
    const { sql } = ledger.database
    const days = await selectFinalDays(sql)
    const last = days.at(-1)
    expect(last?.day).toBe(DAY)
    const [state] = await sql<{ block: number; time: number }[]>`
      select block, (select time from blocks where number <= block - ${REORG_BLOCKS_MAX}::integer
                      order by number desc limit 1) as time from chain_state`
    expect(state?.time).toBeGreaterThanOrEqual(last?.untilSec ?? Number.POSITIVE_INFINITY)
    // The same chain with a head that is not that far above midnight.
    await expect(
      sql.begin(async (tx) => {
        await tx`update chain_state set block = ${(last?.toBlock ?? 0) + REORG_BLOCKS_MAX}`
        expect((await selectFinalDays(tx)).map(({ day }) => day)).not.toContain(DAY)
        throw new Error('rolled back')
      }),
    ).rejects.toThrow('rolled back')
  })

  test('every fact of the days is in one of them, once', async () => {
    const days = await selectFinalDays(ledger.database.sql)
    for (const [index, { fromBlock }] of days.entries()) {
      const before = days[index - 1]
      if (before !== undefined) expect(fromBlock).toBe(before.toBlock + 1)
    }
    const [row] = await ledger.database.sql<{ count: number }[]>`
      select count(*)::integer as count from fills
       where seq between ${days[0]?.fromSeq ?? 0} and ${days.at(-1)?.toSeq ?? 0}`
    expect(await ask(`select count(*) as count from ${filesOf('fills')}`)).toEqual([
      { count: String(row?.count) },
    ])
  })
})

describe('what analysts read', () => {
  test('times are timestamps, money is decimal(38,6), ids are bytes and text', async () => {
    const columns = await ask(`describe select * from ${filesOf('fills')}`)
    const types = Object.fromEntries(columns.map((row) => [row.column_name, row.column_type]))
    expect(types).toMatchObject({
      seq: 'BIGINT',
      time: 'TIMESTAMP WITH TIME ZONE',
      usd: 'DECIMAL(38,6)',
      price: 'DECIMAL(38,6)',
      wallet_key: 'INTEGER',
      wallet: 'VARCHAR',
      token_id: 'VARCHAR',
      tx_hash: 'BLOB',
      side: 'VARCHAR',
      is_combo: 'BOOLEAN',
      day: 'DATE',
    })
    const [wallet] = await ask(
      `select octet_length(wallet_bytes) as bytes, wallet from ${filesOf('wallets')} limit 1`,
    )
    expect(wallet).toEqual({ bytes: '20', wallet: expect.stringMatching(/^0x[0-9a-f]{40}$/) })
  })

  test('row groups have statistics, rows are sorted, and text has dictionaries', async () => {
    const path = join(folder, `table=fills/day=${DAY}/part-0000.parquet`)
    const columns = await ask(`select path_in_schema, stats_min_value, stats_max_value, encodings
                                 from parquet_metadata('${path}')`)
    const of = (name: string) => columns.find((column) => column.path_in_schema === name)
    const [bounds] = await ask(
      `select min(seq)::varchar as least, max(seq)::varchar as greatest from '${path}'`,
    )
    expect(of('seq')).toMatchObject({ stats_min_value: bounds?.least, stats_max_value: bounds?.greatest })
    expect(of('side')?.encodings).toContain('RLE_DICTIONARY')
    const [order] = await ask(
      `select bool_and(seq > before) as sorted from (select seq, lag(seq, 1, 0) over () as before from '${path}')`,
    )
    expect(order?.sorted).toBe(true)
  })

  test.each([
    ['fills', 'usd', 'select sum(usd) from fills'],
    ['splits', 'amount', 'select sum(amount) from splits where flags & 1 = 0'],
    ['merges', 'amount', 'select sum(amount) from splits where flags & 1 = 1'],
    ['transfers', 'amount', 'select sum(amount) from transfers'],
    ['fees', 'amount', 'select sum(amount) from fees'],
    ['pnl_steps', 'realized', 'select sum(amount) from pnl'],
  ])('%s: the sum of %s is that of the database', async (table, column, statement) => {
    const toSeq = (await selectFinalDays(ledger.database.sql)).at(-1)?.toSeq ?? 0
    const where = statement.includes('where') ? 'and' : 'where'
    const [row] = await ledger.database.sql.unsafe<{ sum: string }[]>(`${statement} ${where} seq <= ${toSeq}`)
    const [archived] = await ask(
      `select (sum(${column}) * 1000000)::decimal(38,0)::varchar as sum from ${filesOf(table)}`,
    )
    expect(archived?.sum).toBe(row?.sum)
  })
})

describe('a run', () => {
  test('that finds everything archived writes nothing', async () => {
    const before = await readChecksums(folder)
    const result = await archiveInto(folder)
    expect(result).toMatchObject({ daysWritten: 0, files: 0, rows: 0, bytes: 0 })
    expect(await readChecksums(folder)).toEqual(before)
  })

  test('that is interrupted leaves nothing half, and the next one makes what one run would have made', async () => {
    const interrupted = openFolder()
    const store = createFolderStore(interrupted)
    let files = 0
    const failing: ArchiveStore = {
      ...store,
      // The disk is full in the middle of the tenth file.
      write: (path, chunks) =>
        store.write(
          path,
          (async function* () {
            const fails = path.endsWith('.parquet') && ++files === 10
            for await (const chunk of chunks) {
              yield fails ? chunk.subarray(0, 100) : chunk
              if (fails) throw new Error('no space left')
            }
          })(),
        ),
    }
    await expect(archiveInto(interrupted, { store: failing })).rejects.toThrow('no space left')
    // What a killed process leaves.
    writeFileSync(join(interrupted, '.part-0000.parquet.partial-1'), 'half')
    expect(await readDays(store)).toEqual([])
    for (const path of await store.list('.')) {
      if (path.endsWith('.parquet'))
        expect(existsSync(join(interrupted, path, '..', '_manifest.json'))).toBe(true)
    }

    const { files: written } = await archiveInto(interrupted)
    expect(existsSync(join(interrupted, '.part-0000.parquet.partial-1'))).toBe(false)
    expect(await readChecksums(interrupted)).toEqual(await readChecksums(folder))
    expect(written).toBe(Object.keys(await readChecksums(folder)).length - 9)
  })

  test('splits a table into files of a bounded size, in order', async () => {
    const small = openFolder()
    await archiveInto(small, { limits: { bytesMax: 8_000, rowsPerGroup: 50 } })
    const manifest = await readTableManifest(createFolderStore(small), tableManifestPath('fills', DAY))
    expect(manifest?.files.length).toBeGreaterThan(1)
    const same = `select count(*)::integer as count, sum(usd)::varchar as usd from`
    expect(await ask(`${same} ${filesOf('fills', small)}`)).toEqual(await ask(`${same} ${filesOf('fills')}`))
  })

  test('refuses an archive of another dataset', async () => {
    await expect(archiveInto(folder, { dataset: 'another' })).rejects.toThrow(/holds the dataset ""/)
  })

  test('refuses to run beside another one', async () => {
    const where = openFolder()
    const attempts = await Promise.allSettled([archiveInto(where), archiveInto(where)])
    expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('writes what follows from the ledger again when the ledger begins elsewhere', async () => {
    const where = openFolder()
    const { sql } = ledger.database
    await archiveInto(where)
    const [state] = await sql<{ ledgerFrom: number }[]>`select ledger_from from chain_state`
    const ledgerFrom = state?.ledgerFrom ?? 0
    await sql`update chain_state set ledger_from = ${ledgerFrom + 1}`
    onTestFinished(async () => {
      await sql`update chain_state set ledger_from = ${ledgerFrom}`
    })
    const { daysWritten } = await archiveInto(where)
    expect(daysWritten).toBeGreaterThan(0)
    const manifest = await readTableManifest(createFolderStore(where), tableManifestPath('positions', DAY))
    expect(manifest?.ledger_from).toBe(ledgerFrom + 1)
  })
})

describe('--verify', () => {
  const verify = (where: string) =>
    verifyArchive({ store: createFolderStore(where), sql: ledger.database.sql, signal: never })

  test('finds nothing in a whole archive', async () => {
    const { problems, files } = await verify(folder)
    expect(problems).toEqual([])
    expect(files).toBe(Object.keys(await readChecksums(folder)).length)
  })

  test('finds a file that was changed, one that is missing, and facts that were changed later', async () => {
    const where = openFolder()
    await archiveInto(where)
    const [changed, missing] = ['fills', 'fees'].map((table) => `table=${table}/day=${DAY}/part-0000.parquet`)
    const bytes = readFileSync(join(where, changed ?? ''))
    bytes[500] = (bytes[500] ?? 0) ^ 1
    writeFileSync(join(where, changed ?? ''), bytes)
    rmSync(join(where, missing ?? ''))
    const manifest = JSON.parse(readFileSync(join(where, dayManifestPath(DAY)), 'utf8'))
    writeFileSync(join(where, dayManifestPath(DAY)), JSON.stringify({ ...manifest, digest: '1' }))
    const { problems } = await verify(where)
    expect(problems).toEqual([
      expect.stringContaining(`${changed} has another checksum`),
      expect.stringContaining(`${missing} cannot be read`),
      expect.stringContaining(`${DAY}: the database has other facts`),
    ])
  })
})

test('an archive in a bucket has the files of one in a folder, and a database is restored from it', async () => {
  const server = await startS3Server({ bucket: 'research' })
  const store = createS3Store({ bucket: 'research', prefix: 'auspex' }, server.config)
  const database = await createTestDatabase()
  onTestFinished(async () => {
    await store.close()
    await server.close()
    await database.drop()
  })
  await archiveInto('', { store })
  const { problems, files } = await verifyArchive({ store, sql: ledger.database.sql, signal: never })
  expect(problems).toEqual([])
  expect(files).toBe(Object.keys(await readChecksums(folder)).length)
  const { block } = await restoreArchive({ pool: database.sql, store }, never)
  expect(block).toBe((await readDays(store)).at(-1)?.head?.block)
})
