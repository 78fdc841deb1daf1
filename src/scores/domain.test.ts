import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openSimulatedApp, type SimulatedApp } from '../../test/simulated-app.js'
import { until } from '../../test/until.js'
import { loadConfig } from '../config/config.js'
import { createPlatform } from '../platform.js'
import { createDomains } from '../service.js'
import { createScores, findGameSlug } from './domain.js'

let t: SimulatedApp
beforeAll(async () => {
  t = await openSimulatedApp({ hasGames: true })
})
afterAll(() => t.close())

const { signal } = new AbortController()

test('a game is found by its id, under the slug of its main event', async () => {
  const [game] = t.universe.games().filter((each) => each.startMs > t.universe.nowMs)
  const { gamma } = t.ctx.upstreams
  expect(await findGameSlug(gamma, String(game?.id), signal)).toBe(game?.slug)
  expect(await findGameSlug(gamma, '1', signal)).toBeUndefined()
})

test('the socket is followed; without it for a minute the service is degraded, and ready', async () => {
  const stopping = new AbortController()
  onTestFinished(() => stopping.abort())
  const { jobs, status } = createScores(createPlatform(t.ctx), t.ctx)
  const check = () => status?.check?.(t.clock.now())
  const state = () => (status?.fields?.(t.clock.now()).scores as { state: string } | undefined)?.state
  void jobs?.[0]?.run(stopping.signal)
  await until(() => state() === 'open')
  expect(check()).toMatchObject({ name: 'scores', status: 'ready', problem: undefined })

  t.faults.set({ upstream: 'sports_ws', mode: 'drop' })
  onTestFinished(() => t.faults.set({ upstream: 'sports_ws', mode: 'off' }))
  await until(() => state() === 'waiting')
  expect(check()).toMatchObject({ status: 'ready' })
  t.clock.advance(61_000)
  expect(check()).toEqual({
    name: 'scores',
    status: 'degraded',
    isReady: true,
    problem: 'the score socket is closed for 61 seconds',
  })
  t.faults.set({ upstream: 'sports_ws', mode: 'off' })
  await until(() => [check()].flat()[0]?.status === 'ready')
})

test('switched off, it has no jobs and no status', () => {
  const { config } = loadConfig({ AUSPEX_SPORTS_WS_URL: 'off' })
  const platform = createPlatform({ ...t.ctx, config })
  const { upstreams } = createDomains(platform, t)
  const { jobs, status } = createScores(createPlatform(t.ctx), { upstreams })
  expect({ jobs, status }).toEqual({})
})
