import { simulatedEnvironment } from '../demo/simulator.js'
import { openSimulator } from '../sim/simulator.js'
import { Universe } from '../sim/universe/universe.js'
import { refreshBoard } from '../src/builders/board/queries.js'
import { refreshProfiles } from '../src/builders/profiles/refresh-profiles.js'
import { catalogueDepsOf } from '../src/catalogue/deps.js'
import { syncWholeCatalogue } from '../src/catalogue/full-sync.js'
import { refreshMidpoints } from '../src/catalogue/token-prices.js'
import { bookFrom } from '../src/chain/backfill/test-world.js'
import { loadConfig } from '../src/config/config.js'
import { refreshBoards } from '../src/leaderboards/refresh/refresh.js'
import { STATS_PERIOD_NAMES } from '../src/markets/stats/period.js'
import { refreshSnapshot } from '../src/markets/stats/snapshot.js'
import { replaceTagCounts } from '../src/markets/tags/queries.js'
import type { Pool } from '../src/store/connection.js'
import { transact } from '../src/store/transaction.js'
import { createTestApp } from './test-app.js'
import { readFills } from './trades/fill-model.js'

const START_MS = Date.UTC(2026, 10, 14, 12)

type WorldOptions = {
  historyMs?: number
  seed?: number
  intensity?: number
  comboShare?: number
  hasGames?: boolean
}

export type ApiWorld = Awaited<ReturnType<typeof openApiWorld>>

/**
 * A simulated history that is booked, with its catalogue, behind the production application, whose
 * upstreams are the simulator's. The clock stands at the end of the history.
 */
export async function openApiWorld({
  historyMs = 40 * 60_000,
  seed = 5,
  ...life
}: WorldOptions = {}) {
  const universe = new Universe({ seed, startMs: START_MS, ...life })
  universe.advance(START_MS + historyMs)
  const simulator = await openSimulator(universe)
  const { config } = loadConfig(simulatedEnvironment(simulator.upstreams))
  const node = { universe, host: { url: simulator.upstreams.polygon_http } }
  const fills = await readFills(node.host.url, universe)
  const database = await bookFrom(node, universe.chain.firstNumber)
  const t = await createTestApp({ database, config })
  t.clock.set(universe.nowMs)
  const deps = catalogueDepsOf(t.ctx)
  const { signal } = new AbortController()
  await syncWholeCatalogue(deps, signal, () => undefined)
  await refreshMidpoints(deps, signal)
  await forgetSomeEvents(database.sql)
  const { store, clock, upstreams } = t.ctx
  await refreshProfiles({ store, clock, dataApi: upstreams.dataApi }, signal)
  await refreshBoard(database.sql, clock.now())
  await transact(database.sql, replaceTagCounts)
  await refreshBoards(database.sql, clock.now())
  for (const period of STATS_PERIOD_NAMES) {
    await refreshSnapshot(database.sql, period, t.clock.now(), signal)
  }
  const { key } = await t.createCaller('enterprise')
  const get = (path: string, query: Record<string, unknown> = {}, headers: object = {}) => {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) search.set(name, String(value))
    }
    return t.app.inject({ url: `${path}?${search}`, headers: { 'x-api-key': key, ...headers } })
  }
  const close = async () => {
    await t.ctx.upstreams.close()
    await t.close()
    await simulator.close()
  }
  return { ...t, database, universe, simulator, fills, key, get, close }
}

/** Every fourth event: the catalogue may lack a market that is traded. */
async function forgetSomeEvents(sql: Pool): Promise<void> {
  await sql`
    delete from market_tokens where market in (select id from markets where event % 4 = 0)`
  await sql`delete from market_texts where market in (select id from markets where event % 4 = 0)`
  await sql`delete from markets where event % 4 = 0`
  await sql`delete from event_tags where event % 4 = 0`
  await sql`delete from events where id % 4 = 0`
}
