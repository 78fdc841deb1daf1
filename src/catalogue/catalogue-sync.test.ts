import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { until } from '../../test/until.js'
import { JobRunner } from '../jobs/runner.js'
import { createLog } from '../lib/log.js'
import type { Timing } from '../lib/timing.js'
import { Catalogue } from './catalogue.js'
import { CatalogueSync, registerCatalogueGauges } from './catalogue-sync.js'
import { selectCatalogueState } from './queries.js'
import { contentsOfDatabase, contentsOfUniverse } from './test-contents.js'
import { type CatalogueWorld, openCatalogueWorld } from './test-world.js'

const BETWEEN_CHANGES_MS = 30_000

let world: CatalogueWorld
beforeAll(async () => {
  world = await openCatalogueWorld()
})
afterEach(() => world.forget())
afterAll(() => world.close())

/** The sync as the service runs it; after each round it waits for `next`. */
function startSync() {
  const stopping = new AbortController()
  const round = { count: 0, next: (): void => undefined }
  const sleep: Timing['sleep'] = async (ms, signal) => {
    await world.timing.sleep(ms, signal)
    if (ms !== BETWEEN_CHANGES_MS) return
    round.count++
    await new Promise<void>((resolve) => {
      round.next = resolve
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
  const jobs = new CatalogueSync(world.deps)
  const runner = new JobRunner({
    store: { problem: undefined },
    registry: new Registry(),
    sleep,
    clock: world.clock,
    log: createLog('silent', process.stderr),
  })
  runner.add([
    {
      name: 'sync',
      everyMs: BETWEEN_CHANGES_MS,
      roles: ['worker'],
      runsIn: 'every process',
      needsDatabase: true,
      run: (signal) => jobs.sync(signal),
    },
  ])
  const running = runner.runEverywhere(stopping.signal)
  const stop = async () => {
    stopping.abort()
    await running
  }
  return { jobs, round, stop }
}

const live = (minutes: number) => {
  world.universe.advance(world.universe.nowMs + minutes * 60_000)
  world.clock.set(world.universe.nowMs)
}

test.each([
  ['429', 0.4],
  ['500', 0.4],
  ['garbage', 0.4],
  ['truncated', 0.4],
  ['drop', 0.4],
] as const)('%s of Gamma neither loses nor spoils anything', async (mode, rate) => {
  world.faults.set({ upstream: 'gamma', mode, rate })
  const { round, stop } = startSync()
  await until(() => round.count === 1)
  expect(await contentsOfDatabase(world.sql)).toEqual(contentsOfUniverse(world))
  expect((await selectCatalogueState(world.sql)).odd).toBe(0)
  await stop()
})

test('follows the universe, keeps the last copy while Gamma is down, and goes on after', async () => {
  const { jobs, round, stop } = startSync()
  await until(() => round.count === 1)
  const copy = contentsOfUniverse(world)
  const syncedAtMs = world.clock.now()
  expect(jobs.status()).toMatchObject({
    progress: { phase: 'done', markets: copy.markets.length, share: 1 },
    syncedAtMs,
    problem: undefined,
    known: copy.markets.length,
  })

  world.faults.set({ upstream: 'gamma', mode: 'drop' })
  live(15)
  round.next()
  await until(() => jobs.status().problem !== undefined)
  expect(jobs.status()).toMatchObject({ problem: expect.stringContaining('gamma'), syncedAtMs })
  expect(await contentsOfDatabase(world.sql)).toEqual(copy)
  registerCatalogueGauges(world.registry, world.clock, () => jobs.status())
  const metrics = await world.registry.metrics()
  expect(metrics).toContain('auspex_markets_sync_age_seconds 900')
  expect(metrics).toContain(`auspex_markets_known ${copy.markets.length}`)

  world.faults.set({ upstream: 'gamma', mode: 'off' })
  await until(() => round.count === 2)
  expect(jobs.status()).toMatchObject({ problem: undefined, syncedAtMs: world.clock.now() })
  expect(await contentsOfDatabase(world.sql)).toEqual(contentsOfUniverse(world))
  await stop()
})

test('a process that starts loads the open markets, and no more than it may', async () => {
  const { round, stop } = startSync()
  await until(() => round.count === 1)
  await stop()
  const limits = { marketsMax: 50, waitingMax: 10, absentMax: 10 }
  const catalogue = new Catalogue(world.clock, limits)
  await new CatalogueSync({ ...world.deps, catalogue }).load(50)
  expect(catalogue.size).toBe(50)
  const newest = contentsOfUniverse(world).markets.at(-1)
  expect(catalogue.byToken(newest?.tokens[0] ?? '')).toEqual(
    world.deps.catalogue.byToken(newest?.tokens[0] ?? ''),
  )
  expect(catalogue.byToken(newest?.tokens[0] ?? '')).toMatchObject({ slug: newest?.slug })
})
