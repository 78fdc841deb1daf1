import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { inject } from 'vitest'
import { simulatedEnvironment } from '../demo/simulator.js'
import { openSimulator } from '../sim/simulator.js'
import { Universe } from '../sim/universe/universe.js'
import { refreshBoard } from '../src/builders/board/queries.js'
import { refreshProfiles } from '../src/builders/profiles/refresh-profiles.js'
import { CatalogueSync } from '../src/catalogue/catalogue-sync.js'
import { syncWholeCatalogue } from '../src/catalogue/full-sync.js'
import { refreshMidpoints } from '../src/catalogue/token-prices.js'
import { bookInto } from '../src/chain/backfill/test-world.js'
import { type Config, loadConfig } from '../src/config/config.js'
import { refreshBoards } from '../src/leaderboards/refresh/refresh.js'
import { STATS_PERIOD_NAMES } from '../src/markets/stats/period.js'
import { refreshSnapshot } from '../src/markets/stats/snapshot.js'
import { replaceTagCounts } from '../src/markets/tags/queries.js'
import type { Pool } from '../src/store/connection.js'
import { transact } from '../src/store/transaction.js'
import { createTestDatabase, ensureTemplate, type TestDatabase } from './database.js'
import { createTestApp } from './test-app.js'
import { type ModelFill, readFills } from './trades/fill-model.js'

const START_MS = Date.UTC(2026, 10, 14, 12)

type WorldOptions = {
  /** Absent: a noon. */
  startMs?: number
  historyMs?: number
  seed?: number
  intensity?: number
  comboShare?: number
  hasGames?: boolean
  /** Whether more happens, as in the present of a demo. */
  isLively?: boolean
  /** Whether the catalogue has all events; otherwise it lacks every fourth. */
  isWhole?: boolean
  /** One with the schema alone, into which the history is booked; absent: a copy of one that has it. */
  database?: TestDatabase
}

export type ApiWorld = Awaited<ReturnType<typeof openApiWorld>>

/**
 * A simulated history that is booked, with its catalogue, behind the production application, whose
 * upstreams are the simulator's. The clock stands at the end of the history. Files that ask for the same
 * history get copies of one database and of one list of fills.
 */
export async function openApiWorld(options: WorldOptions = {}) {
  const { database: given, ...history } = options
  const {
    startMs = START_MS,
    historyMs = 40 * 60_000,
    seed = 5,
    isWhole = false,
    isLively = false,
    ...life
  } = history
  const present = isLively ? { presentMs: startMs } : {}
  const universe = new Universe({ seed, startMs, ...life, ...present })
  universe.advance(startMs + historyMs)
  const simulator = await openSimulator(universe)
  const { config } = loadConfig(simulatedEnvironment(simulator.upstreams))
  const node = { host: { url: simulator.upstreams.polygon_http } }
  const fill = async (empty: TestDatabase) => {
    await fillDatabase(empty, { universe, config, node, isWhole })
    return readFills(node.host.url, universe)
  }
  const copyFilled = async () => {
    const name = `world_${createHash('sha256').update(JSON.stringify(history)).digest('hex').slice(0, 12)}`
    // To make and to read all logs takes longer than the rest.
    const fillsPath = join(inject('sharedDir'), `${name}.fills`)
    const template = await ensureTemplate(name, async (empty) =>
      writeFileSync(fillsPath, serialize(await fill(empty))),
    )
    const fills: ModelFill[] = deserialize(readFileSync(fillsPath))
    return { database: await createTestDatabase({ template }), fills }
  }
  const { database, fills } =
    given === undefined
      ? await copyFilled()
      : { database: given, fills: await fill({ ...given, drop: async () => undefined }) }
  const t = await createTestApp({ database, config })
  t.clock.set(universe.nowMs)
  await new CatalogueSync(t.domains.catalogue).load()
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

type Filling = {
  universe: Universe
  config: Partial<Config>
  node: { host: { url: string } }
  isWhole: boolean
}

async function fillDatabase(
  database: TestDatabase,
  { universe, config, node, isWhole }: Filling,
): Promise<void> {
  const { sql } = database
  await bookInto(database, node, universe.chain.firstNumber)
  const t = await createTestApp({ database, config })
  t.clock.set(universe.nowMs)
  const { store, clock, upstreams } = t.ctx
  const deps = t.domains.catalogue
  const { signal } = new AbortController()
  await syncWholeCatalogue(deps, signal, () => undefined)
  await refreshMidpoints(deps, signal)
  if (!isWhole) await forgetSomeEvents(sql)
  await refreshProfiles({ store, clock, dataApi: upstreams.dataApi }, signal)
  await refreshBoard(sql, clock.now())
  await transact(sql, replaceTagCounts)
  await refreshBoards(sql, clock.now())
  for (const period of STATS_PERIOD_NAMES) await refreshSnapshot(sql, period, clock.now(), signal)
  await upstreams.close()
  await t.close()
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
