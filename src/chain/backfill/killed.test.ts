import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { TestDatabase } from '../../../test/database.js'
import type { FollowWorld } from '../follow/test-follow.js'
import { compareContents, readContents } from './test-contents.js'
import {
  BATCH_LIMITS,
  bookFrom,
  cloneDatabase,
  middleOf,
  openLongWorld,
  ROWS_MAX,
} from './test-world.js'

const DIST = resolve(import.meta.dirname, '../../../dist/src')
const KILLS = 6

let world: FollowWorld
beforeAll(async () => {
  world = await openLongWorld()
})
afterAll(() => world.close())

const SCRIPT = `
  import { Registry } from 'prom-client'
  import { runBackfill } from '${DIST}/chain/backfill/backfill.js'
  import { systemClock } from '${DIST}/core/clock.js'
  import { PolygonClient } from '${DIST}/upstreams/polygon/client.js'
  import { createUpstreamMetrics } from '${DIST}/upstreams/transport/metrics.js'
  const { url, ...options } = JSON.parse(process.argv[1])
  const metrics = createUpstreamMetrics(new Registry())
  const polygon = new PolygonClient({ url, metrics, clock: systemClock, callsPerSecond: 10_000 })
  await runBackfill({ ...options, polygon, out: process.stderr }, new AbortController().signal)
  await polygon.close()`

function startBackfill({ target }: TestDatabase): { child: ChildProcess; ended: Promise<unknown> } {
  const options = {
    url: world.host.url,
    target,
    fromBlock: world.universe.chain.firstNumber,
    batchLimits: BATCH_LIMITS,
    rowsMax: ROWS_MAX,
  }
  const args = ['--input-type=module', '-e', SCRIPT, JSON.stringify(options)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  return { child, ended: once(child, 'exit') }
}

/** Differs after each transaction that brought something. */
async function readProgress({ sql }: TestDatabase): Promise<string> {
  const [row] = await sql<{ covered: string; isMaking: boolean; epoch: number }[]>`
    select (select string_agg(from_block || '-' || to_block, ',' order by from_block)
              from coverage) as covered,
           to_regclass('auspex_rebuild.progress') is not null as is_making, epoch
      from chain_state`
  const done = row?.isMaking === true ? await readDone() : ''
  return `${row?.covered} ${done} ${row?.epoch}`

  async function readDone(): Promise<unknown> {
    // It may be gone since.
    return sql`select done_seq from auspex_rebuild.progress`.then(
      (rows) => rows[0]?.doneSeq,
      () => '',
    )
  }
}

/** The server has noticed that the process is gone. */
function untilUnlocked({ sql }: TestDatabase): Promise<void> {
  return vi.waitFor(async () => {
    const rows = await sql`
      select from pg_locks
       where locktype = 'advisory'
         and database = (select oid from pg_database where datname = current_database())`
    expect(rows.length).toBe(0)
  })
}

test('a process that is killed again and again leaves what one run from the start leaves', async () => {
  const { firstNumber } = world.universe.chain
  const half = await bookFrom(world, middleOf(world))
  await half.sql.end({ timeout: 1 })
  const database = await cloneDatabase(half)
  await half.drop()
  const stages = new Set<string>()
  for (let kill = 0; kill < KILLS; kill++) {
    const before = await readProgress(database)
    const { child, ended } = startBackfill(database)
    let changes = 0
    for (let last = before; changes <= kill % 2 && child.exitCode === null; ) {
      const progress = await readProgress(database)
      if (progress !== last) changes++
      last = progress
    }
    child.kill('SIGKILL')
    await ended
    await untilUnlocked(database)
    stages.add(await readProgress(database))
  }
  expect(stages.size).toBeGreaterThan(3)
  const [code] = (await startBackfill(database).ended) as [number]
  expect(code).toBe(0)

  const whole = await bookFrom(world, firstNumber)
  const found = await readContents(database.sql)
  const expected = await readContents(whole.sql)
  await whole.drop()
  expect(compareContents(found, expected)).toEqual({})
}, 60_000)
