import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { counts } from '../../../test/counts.js'
import type { TestDatabase } from '../../../test/database.js'
import type { FollowWorld } from '../follow/test-follow.js'
import { compareContents, readContents } from './test-contents.js'
import { corruptFacts } from './test-corruption.js'
import { BATCH_LIMITS, bookFrom, cloneDatabase, middleOf, openLongWorld, ROWS_MAX } from './test-world.js'

const DIST = resolve(import.meta.dirname, '../../../dist/src')
const KILLS = counts({ short: 4, long: 6 })

let world: FollowWorld
/** What one run from the start leaves. */
let whole: TestDatabase
let expected: Record<string, string[]>
beforeAll(async () => {
  world = await openLongWorld()
  whole = await bookFrom(world, world.universe.chain.firstNumber)
  expected = await readContents(whole.sql)
  await whole.sql.end({ timeout: 1 })
})
afterAll(async () => {
  await whole.drop()
  await world.close()
})

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

type Started = { child: ChildProcess; ended: Promise<unknown> }

function startBackfill({ target }: TestDatabase, again: boolean): Started {
  const options = {
    url: world.host.url,
    target,
    again,
    fromBlock: world.universe.chain.firstNumber,
    batchLimits: BATCH_LIMITS,
    rowsMax: ROWS_MAX,
  }
  const args = ['--input-type=module', '-e', SCRIPT, JSON.stringify(options)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  return { child, ended: once(child, 'exit') }
}

type Progress = { covered: string; doneTo: number | null; isMaking: boolean; epoch: number }

/** Differs after each transaction that brought something. */
async function readProgress({ sql }: TestDatabase): Promise<string> {
  const [row] = await sql<Progress[]>`
    select (select string_agg(from_block || '-' || to_block, ',' order by from_block)
              from coverage) as covered,
           (select done_to from repair) as done_to,
           to_regclass('auspex_rebuild.progress') is not null as is_making, epoch
      from chain_state`
  const done = row?.isMaking === true ? await readDone() : ''
  return `${row?.covered} ${row?.doneTo} ${done} ${row?.epoch}`

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

/** Kills one process after the other in the middle of its work, and lets the last one end. */
async function killAndFinish(database: TestDatabase, again: boolean): Promise<void> {
  const stages = new Set<string>()
  for (let kill = 0; kill < KILLS; kill++) {
    const before = await readProgress(database)
    const { child, ended } = startBackfill(database, again)
    let changes = 0
    for (let last = before; changes <= kill % 2 && child.exitCode === null; ) {
      // Leaves the cores to the process and its database.
      await delay(5)
      const progress = await readProgress(database)
      if (progress !== last) changes++
      last = progress
    }
    child.kill('SIGKILL')
    await ended
    await untilUnlocked(database)
    stages.add(await readProgress(database))
  }
  expect(stages.size).toBeGreaterThan(KILLS / 2)
  const [code] = (await startBackfill(database, again).ended) as [number]
  expect(code).toBe(0)
}

async function expectWhole({ sql }: TestDatabase): Promise<void> {
  expect(compareContents(await readContents(sql), expected)).toEqual({})
}

test('a process that is killed again and again leaves what one run from the start leaves', async () => {
  const half = await bookFrom(world, middleOf(world))
  onTestFinished(() => half.drop())
  await killAndFinish(half, false)
  await expectWhole(half)
})

test('one that reads wrong blocks again leaves the same', async () => {
  const wrong = await cloneDatabase(whole)
  await corruptFacts(wrong.sql)
  await wrong.sql`update wallets set address = int4send(id) where id in (40, 60)`
  await wrong.sql`delete from tokens where id = 50`
  await killAndFinish(wrong, true)
  await expectWhole(wrong)
})
