import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Pool } from '../src/store/connection.js'
import { type ApiWorld, openApiWorld } from './api-world.js'
import { counts } from './counts.js'
import { EXPLAINED_BUILDERS } from './explained/builders.js'
import { explainRequest, type Plan, type Request, scansOf } from './explained/explain-request.js'
import { EXPLAINED_LEADERBOARDS } from './explained/leaderboards.js'
import { EXPLAINED_POSITIONS } from './explained/positions.js'
import { EXPLAINED_TRADES } from './explained/trades.js'
import { EXPLAINED_WALLETS } from './explained/wallets.js'
import { repeatInPartitions } from './many-partitions.js'

const PARTITIONS = counts({ short: 12, long: 100 })
const LIMIT = 20

let world: ApiWorld
let sql: Pool
beforeAll(async () => {
  world = await openApiWorld()
  sql = world.ctx.sql as Pool
  await repeatInPartitions(sql, PARTITIONS)
}, 600_000)
afterAll(() => world.close())

/** One name for each domain that has lists. */
const REQUESTS: Request[] = [
  EXPLAINED_TRADES,
  EXPLAINED_POSITIONS,
  EXPLAINED_BUILDERS,
  EXPLAINED_LEADERBOARDS,
  EXPLAINED_WALLETS,
].flat()

describe.each(REQUESTS)('GET $title', (request) => {
  const explain = (query: object): Promise<Plan[]> =>
    explainRequest(world, sql, request.path(world), { ...request.query?.(world), ...query })

  test(`reads as many rows as the page has, by indexes, in ${PARTITIONS} partitions`, async () => {
    const plans = await explain({ limit: LIMIT })
    expect(plans.length).toBeGreaterThan(0)
    const scans = plans.flatMap(scansOf)
    const bad = scans.filter(({ nodeType, relation }) => nodeType === 'Seq Scan' && isBig(relation))
    expect(bad).toEqual([])
    const most = (request.rowsPerRow ?? 3) * (LIMIT + 1)
    for (const scan of scans.filter(({ relation }) => isBig(relation))) {
      expect(scan.rows, JSON.stringify(scan)).toBeLessThanOrEqual(most)
    }
  })
})

test('a page by cursor reads no more rows deep in a list than at its beginning', async () => {
  const path = '/v3/trades'
  const first = (await world.get(path, { limit: 300 })).json()
  let cursor: string = first.next_cursor
  for (let n = 0; n < 20; n++) {
    cursor = (await world.get(path, { limit: 300, cursor })).json().next_cursor
  }
  const readBy = async (query: object) =>
    (await explainRequest(world, sql, path, { limit: 300, ...query }))
      .flatMap(scansOf)
      .filter(({ relation }) => isBig(relation))
      .reduce((sum, { rows }) => sum + rows, 0)
  const [atFirst, byCursor, byOffset] = [
    await readBy({}),
    await readBy({ cursor }),
    await readBy({ offset: 21 * 300 }),
  ]
  expect(byCursor).toBeLessThanOrEqual(atFirst + 300)
  expect(byOffset).toBeGreaterThan(21 * 300)
})

/** Tables that grow with the chain. */
const isBig = (relation: string): boolean =>
  /^(fills|splits|redemptions|conversions|flows|pnl|transfers|positions|blocks|tokens|wallets|all_time_boards|rolling_boards)\b|_p\d+$/.test(
    relation,
  )
