import { afterAll, beforeAll, expect, test } from 'vitest'
import { REORG_DEPTH_MAX } from '../../sim/universe/universe.js'
import { followInto } from '../../src/chain/follow/test-follow.js'
import { BlockWriter } from '../../src/chain/write/block-writer.js'
import { refreshBoards } from '../../src/leaderboards/refresh/refresh.js'
import { type ApiWorld, openApiWorld } from '../api-world.js'
import { counts } from '../counts.js'
import { randomFrom } from '../random.js'
import { type Ask, checkBoards } from './check-boards.js'

const MOMENTS = counts({ short: 3, long: 30 })
/** Every board by every sort and by both walks at each moment, or by one of them. */
const THOROUGH = counts({ short: false, long: true })
const BOARDS_MIN = 40
const QUARTER_MS = 5 * 60_000
const DAY_SEC = 86_400
/** The boards look at prices so often. */
const PRICES_MS = 5 * 60_000

let world: ApiWorld
beforeAll(async () => {
  world = await openApiWorld({ historyMs: 4 * QUARTER_MS })
  await spreadHistory()
}, 120_000)
afterAll(() => world.close())

/**
 * Moves the first three quarters of the history back, so that the first is about to leave the last 30 days,
 * the second the last 7 and the third the last day.
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
}

/** Takes the last tag from every seventh event. */
const untagSomeEvents = (moment: number) => world.ctx.sql`
  delete from event_tags t
   where t.event % 7 = ${moment % 7}
     and t.place = (select max(place) from event_tags where event = t.event)`

const ask: Ask = async (path, query) => {
  const reply = await world.get(path, query)
  expect(reply.statusCode, `${path} ${JSON.stringify(query)} ${reply.body}`).toBe(200)
  return reply.json()
}

test(
  `the boards are what the rows add up to at ${MOMENTS} moments, with reorganisations and other tags between them`,
  async () => {
    const { universe, simulator, ctx, clock } = world
    const below = randomFrom(8)
    const line = await BlockWriter.open({ pool: ctx.sql })
    const followed = followInto({ universe, host: simulator.hosts.polygon }, line, {
      startBlock: universe.chain.firstNumber,
    })
    await followed.arrive()
    for (let moment = 0; moment < MOMENTS; moment++) {
      await refreshBoards(ctx.sql, clock.now())
      const count = await checkBoards(ctx.sql, ask, { turn: moment, isThorough: THOROUGH })
      expect(count).toBeGreaterThan(BOARDS_MIN)
      for (let reorgs = below(3); reorgs >= 0; reorgs--) {
        universe.advance(universe.nowMs + 60_000)
        await followed.arrive()
        universe.reorg(1 + below(REORG_DEPTH_MAX))
        await followed.arrive()
      }
      await untagSomeEvents(moment)
      clock.set(Math.max(universe.nowMs, clock.now() + PRICES_MS))
    }
    await followed.stop()
  },
  counts({ short: 120_000, long: 900_000 }),
)
