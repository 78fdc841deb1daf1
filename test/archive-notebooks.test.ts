import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { restoreArchive } from '../src/archive/restore/restore-archive.js'
import { runArchive } from '../src/archive/run-archive.js'
import { createFolderStore } from '../src/archive/store/folder-store.js'
import { packTicks } from '../src/prices/archive/pack.js'
import { insertTicks } from '../src/prices/archive/queries.js'
import { type ApiWorld, openApiWorld } from './api-world.js'
import { isLong } from './counts.js'
import { createTestDatabase } from './database.js'
import { makeOpenFolder } from './open-folder.js'
import { preparePython } from './python-environment.js'
import { findProgram } from './system-programs.js'
import { hashTables } from './table-hashes.js'

const EXAMPLES = join(import.meta.dirname, '../examples/archive')
/** Shortly before midnight. */
const START_MS = Date.UTC(2026, 10, 14, 23, 45)
const DAY = '2026-11-14'
const DAY_END_SEC = Date.UTC(2026, 10, 15) / 1000
const never = new AbortController().signal

let world: ApiWorld
let folder: string
beforeAll(async () => {
  world = await openApiWorld({ startMs: START_MS, historyMs: 30 * 60_000, intensity: 2, isWhole: true })
  const { sql } = world.database
  const ticks = [...Array(1_000).keys()].map((index) => ({
    stream: index % 2 === 0 ? 0 : 1,
    sec: DAY_END_SEC - 600 + Math.floor(index / 2),
    price: 90_000 + index / 7,
    bid: index % 2 === 0 ? null : 90_000,
    ask: index % 2 === 0 ? null : 90_002,
  }))
  await insertTicks(sql, ticks)
  await packTicks(sql, (DAY_END_SEC + 3_600) * 1000)
  folder = makeOpenFolder('notebooks')
  await runArchive({ pool: sql, store: createFolderStore(folder), dataset: 'demo' }, never)
}, 180_000)
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await world.close()
})

type Json = Record<string, unknown>

/** What a notebook printed, line by line. */
async function run(file: string, requirements: string, skip: (why: string) => void): Promise<Json[]> {
  const environment = await preparePython(join(EXAMPLES, requirements))
  if ('missing' in environment) {
    skip(`the notebook needs its packages: ${environment.missing}`)
    return []
  }
  const { stdout } = await promisify(execFile)(environment.python, [join(EXAMPLES, file), folder, '--json'])
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

async function ask<Body>(path: string, query: Json): Promise<Body> {
  const reply = await world.get(path, query)
  expect(reply.statusCode).toBe(200)
  return reply.json()
}

/** Of all fills of orders that took, by the candles of the API. */
async function volumeOf(token: unknown): Promise<{ volume: number; trades: number }> {
  const query = { resolution: '1d', start: DAY_END_SEC - 300 * 86_400, end: DAY_END_SEC - 1, limit: 300 }
  const { candles } = await ask<{ candles: { volume_usd: number; trades: number }[] }>(
    `/v3/markets/${token}/candles`,
    query,
  )
  return {
    volume: candles.reduce((sum, { volume_usd }) => sum + volume_usd, 0),
    trades: candles.reduce((sum, { trades }) => sum + trades, 0),
  }
}

describe('a notebook', () => {
  test('of DuckDB gives the sums of the API', async ({ skip }) => {
    const [markets, whales, calibration] = await run('duckdb_archive.py', 'requirements.txt', skip)
    const rowsOf = (cell: Json | undefined) => (cell?.rows ?? []) as Json[]
    expect(rowsOf(markets)).toHaveLength(10)
    for (const { token_id, volume_usd, trades, question } of rowsOf(markets)) {
      const { volume, trades: count } = await volumeOf(token_id)
      expect([Number(volume_usd), trades]).toEqual([expect.closeTo(volume, 6), count])
      expect(question).toEqual(expect.any(String))
    }
    expect(rowsOf(whales)).toHaveLength(10)
    for (const { wallet, realized_usd } of rowsOf(whales)) {
      const { realized_pnl } = await ask<{ realized_pnl: number }>(`/v3/wallets/${wallet}/pnl`, {
        after: 1,
        before: DAY_END_SEC - 1,
        include_combos: true,
      })
      expect([wallet, Number(realized_usd)]).toEqual([wallet, expect.closeTo(realized_pnl, 6)])
    }
    expect(rowsOf(calibration).length).toBeGreaterThan(1)
    for (const { won, mean_price } of rowsOf(calibration)) {
      expect(Number(won)).toBeGreaterThanOrEqual(0)
      expect(Number(won)).toBeLessThanOrEqual(1)
      expect(Number(mean_price)).toBeGreaterThan(0)
    }
  }, 300_000)

  test('of pandas and pyarrow has the types of the files and the sums of the database', async ({ skip }) => {
    const [result] = await run('pandas_archive.py', 'requirements.txt', skip)
    const [row] = await world.database.sql<{ fills: number; usd: string }[]>`
      select count(*)::integer as fills, (sum(usd) filter (where flags & 2 <> 0) / 1e6)::numeric(38, 6)::text as usd
        from fills join blocks b on b.number = seq >> 20 where b.time < ${DAY_END_SEC}`
    expect(result).toMatchObject({ fills: row?.fills, volume_usd: row?.usd, zone: 'UTC' })
    expect(result?.types).toMatchObject({
      usd: 'decimal128(38, 6)',
      time: 'timestamp[us, tz=UTC]',
      tx_hash: 'fixed_size_binary[32]',
      wallet: 'string',
    })
  }, 300_000)

  test('of Spark reads the same', async ({ skip }) => {
    // Its packages have half a gigabyte, and its start takes a minute on two busy cores.
    if (!isLong) {
      skip('Spark is tried by `npm run test:long`')
      return
    }
    if (findProgram('java') === undefined) {
      skip('Spark needs Java, which is not installed')
      return
    }
    const [result] = await run('spark_archive.py', 'requirements-spark.txt', skip)
    const [row] = await world.database.sql<{ trades: number; usd: string }[]>`
      select count(*)::integer as trades, (sum(usd) / 1e6)::numeric(38, 6)::text as usd
        from fills join blocks b on b.number = seq >> 20
       where flags & 2 <> 0 and b.time between ${DAY_END_SEC - 86_400} and ${DAY_END_SEC - 1}`
    const days = result?.by_day as Json[]
    expect(days.at(-1)).toEqual({ day: DAY, trades: row?.trades, volume_usd: row?.usd })
    expect(result?.types).toMatchObject({
      usd: 'decimal(38,6)',
      time: 'timestamp',
      tx_hash: 'binary',
      seq: 'bigint',
    })
    expect(result?.makers).toHaveLength(5)
  }, 300_000)
})

test('the catalogue and the coin prices are restored too', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  await restoreArchive({ pool: database.sql, store: createFolderStore(folder) }, never)
  const [restored, original] = [await hashTables(database.sql), await hashTables(world.database.sql)]
  for (const table of [
    'series',
    'tags',
    'events',
    'event_tags',
    'markets',
    'market_tokens',
    'tick_blocks',
    'tick_hours',
  ]) {
    expect([table, restored[table]]).toEqual([table, original[table]])
  }
})
