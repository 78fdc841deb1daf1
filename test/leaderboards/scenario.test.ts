import { once } from 'node:events'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { REORG_DEPTH_MAX } from '../../sim/universe/universe.js'
import { followInto } from '../../src/chain/follow/test-follow.js'
import { BlockWriter } from '../../src/chain/write/block-writer.js'
import { refreshBoards } from '../../src/leaderboards/refresh/refresh.js'
import { transact } from '../../src/store/transaction.js'
import { type ApiWorld, openApiWorld } from '../api-world.js'
import { counts } from '../counts.js'
import { forkChild } from '../processes.js'
import { randomFrom } from '../random.js'
import { type Ask, checkBoards } from './check-boards.js'

const MOMENTS = counts({ short: 2, long: 30 })
/** The deepest take the longest; `ingest-faults.test.ts` has one of them. */
const DEPTH_MAX = counts({ short: REORG_DEPTH_MAX / 2, long: REORG_DEPTH_MAX })
const KILLS = counts({ short: 2, long: 20 })
/** Every board by every sort and by both walks at each moment, or by one of them. */
const THOROUGH = counts({ short: false, long: true })
const BOARDS_MIN = 40
const QUARTER_MS = 5 * 60_000
const DAY_SEC = 86_400
/** The boards look at prices this often. */
const PRICES_MS = 5 * 60_000
/** What a refresh writes, early and late: it waits for the one that the test has locked. */
const TABLES = ['rolling_boards', 'all_time_boards', 'rolling_scopes', 'board_positions', 'rolling_windows']

const WAIT = { timeout: 60_000, interval: 10 }

let world: ApiWorld
beforeAll(async () => {
  world = await openApiWorld({ historyMs: 4 * QUARTER_MS })
  await spreadHistory()
})
afterAll(() => world.close())

/**
 * Moves the first three quarters of the history back, so that the first is about to leave the last 30 days,
 * the second the last 7 and the third the last day. The boards are then made anew.
 */
async function spreadHistory(): Promise<void> {
  const { sql } = world.ctx
  for (const [quarter, days] of [30, 7, 1].entries()) {
    const fromSec = (world.universe.nowMs - (4 - quarter) * QUARTER_MS) / 1000
    const backSec = days * DAY_SEC - ((4 - quarter) * QUARTER_MS) / 1000
    await sql`
      update blocks set time = time - ${backSec}::integer
       where number in (select number from blocks
                         where time >= ${fromSec} and time < ${fromSec + QUARTER_MS / 1000})`
  }
  await sql`update board_state set block = null`
}

/** Takes the last tag from every seventh event that has more than two: many moments must leave some. */
const untagSomeEvents = (moment: number) => world.ctx.sql`
  delete from event_tags t
   where t.event % 7 = ${moment % 7}
     and t.place = (select max(place) from event_tags where event = t.event)
     and (select count(*) from event_tags where event = t.event) > 2`

const ask: Ask = async (path, query) => {
  const reply = await world.get(path, query)
  expect(reply.statusCode, `${path} ${JSON.stringify(query)} ${reply.body}`).toBe(200)
  return reply.json()
}

async function expectBoards(turn: number): Promise<void> {
  const count = await checkBoards(world.ctx.sql, ask, { turn, isThorough: THOROUGH })
  expect(count).toBeGreaterThan(BOARDS_MIN)
}

/** Books the chain. Each call lets time pass, with one reorganisation or some, and changes tags. */
async function followChain(seed: number) {
  const { universe, simulator, ctx, clock } = world
  const below = randomFrom(seed)
  const line = await BlockWriter.open({ pool: ctx.sql })
  const followed = followInto({ universe, host: simulator.hosts.polygon }, line, {
    startBlock: universe.chain.firstNumber,
  })
  await followed.arrive()
  const liveOn = async (moment: number) => {
    for (let reorgs = below(3); reorgs >= 0; reorgs--) {
      universe.advance(universe.nowMs + 60_000)
      await followed.arrive()
      universe.reorg(1 + below(DEPTH_MAX))
      await followed.arrive()
    }
    await untagSomeEvents(moment)
    clock.set(Math.max(universe.nowMs, clock.now() + PRICES_MS))
  }
  return { liveOn, stop: followed.stop }
}

test(
  `the boards are what the rows add up to at ${MOMENTS} moments, with reorganisations and other tags between them`,
  async () => {
    const { liveOn, stop } = await followChain(8)
    for (let moment = 0; moment < MOMENTS; moment++) {
      await refreshBoards(world.ctx.sql, world.clock.now())
      await expectBoards(moment)
      await liveOn(moment)
    }
    await stop()
  },
  counts({ short: 120_000, long: 900_000 }),
)

/** Starts a process that refreshes the boards. */
const startRefresh = () => forkChild('boards-child.js', { target: world.target, nowMs: world.clock.now() })

/** kill -9 to a process whose refresh waits for this table. */
async function killInRefresh(table: string): Promise<void> {
  const { sql } = world.ctx
  const locks = (name: string) => sql`
    select pid from pg_locks
     where relation = ${name}::regclass and mode like '%Exclusive%'
       and database = (select oid from pg_database where datname = current_database())`
  await transact(sql, async (tx) => {
    await tx`lock table ${tx(table)} in share mode`
    const { kill } = startRefresh()
    await vi.waitFor(async () => expect(await locks(table)).toHaveLength(1), WAIT)
    await kill()
  })
  // The database ends the refresh when it has got what it waited for.
  await vi.waitFor(async () => expect(await locks('board_state')).toHaveLength(0), WAIT)
}

/** What readers see of the boards. */
const readBoards = async () => {
  const { sql } = world.ctx
  return [
    await sql`select * from board_state`,
    await sql`select * from rolling_boards order by days, scope, wallet`,
    await sql`select * from rolling_scopes order by days, scope`,
    await sql`select * from all_time_boards order by scope, wallet`,
  ]
}

test(
  `${KILLS} processes are killed in the middle of a refresh: the boards stay as they were, and the next refresh is right`,
  async () => {
    const { liveOn, stop } = await followChain(9)
    for (let kills = 0; kills < KILLS; kills++) {
      await liveOn(kills)
      const before = await readBoards()
      await killInRefresh(TABLES[kills % TABLES.length] ?? '')
      expect(await readBoards()).toEqual(before)
      const { child, kill } = startRefresh()
      await once(child, 'message')
      await kill()
      await expectBoards(kills)
    }
    await stop()
  },
  counts({ short: 120_000, long: 900_000 }),
)
