import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { never } from '../../catalogue/test-world.js'
import { WINDOW_SEC, windowSlugs, windowStartAt } from './coins.js'
import { refreshEvents, refreshWindows } from './refresh.js'
import { type CryptoWorld, openCryptoWorld } from './test-world.js'

let world: CryptoWorld
beforeAll(async () => {
  world = await openCryptoWorld()
})
afterEach(() => world.forget())
afterAll(() => world.close())

const selectPrices = () => world.t.ctx.sql`
  select e.slug, m.outcome_prices from events e join markets m on m.event = e.id order by e.slug`

/** What Gamma shows for these slugs, in the form of the rows. */
async function askPrices(slugs: readonly string[]) {
  const events = await world.askEvents(`slug=${slugs.join()}`)
  return events
    .map(({ slug, markets }) => ({
      slug,
      outcomePrices: JSON.parse(markets[0]?.outcomePrices ?? '[]') as string[],
    }))
    .sort((a, b) => (a.slug < b.slug ? -1 : 1))
}

const runningAndNext = () => {
  const startSec = windowStartAt(world.t.clock.now())
  return [...windowSlugs(startSec), ...windowSlugs(startSec + WINDOW_SEC)]
}

test('reads the running and the next window of the seven coins in one call', async () => {
  await refreshWindows(world.deps, never)
  expect(world.requests.map(({ path }) => path)).toEqual(['/events/keyset'])
  const shown = await askPrices(runningAndNext())
  expect(shown).toHaveLength(14)
  expect(await selectPrices()).toEqual(shown)
})

test('follows the prices', async () => {
  await refreshWindows(world.deps, never)
  const before = await selectPrices()
  world.live(60_000)
  await refreshWindows(world.deps, never)
  expect(await selectPrices()).toEqual(await askPrices(runningAndNext()))
  expect(await selectPrices()).not.toEqual(before)
})

test('the last copy stays while Gamma is down, and is replaced when it is back', async () => {
  await refreshWindows(world.deps, never)
  const copy = await selectPrices()
  world.faults.set({ upstream: 'gamma', mode: 'drop' })
  world.live(60_000)
  await expect(refreshWindows(world.deps, never)).rejects.toThrow(/gamma/)
  expect(await selectPrices()).toEqual(copy)

  world.faults.set({ upstream: 'gamma', mode: 'off' })
  await refreshWindows(world.deps, never)
  expect(await selectPrices()).toEqual(await askPrices(runningAndNext()))
})

test('the most traded events of the day follow Gamma, running windows of every length among them', async () => {
  await refreshEvents(world.deps, never)
  world.live(60_000)
  await refreshEvents(world.deps, never)
  const query = 'tag_slug=crypto&closed=false&order=volume24hr&ascending=false'
  const shown = (await world.askEvents(query)).slice(0, 100)
  const rows = await world.t.ctx.sql<{ slug: string; volume24h: number | null }[]>`
    select slug, volume_24h::float8 from events where slug = any(${shown.map(({ slug }) => slug)})`
  expect(rows).toHaveLength(100)
  const volumes = new Map(rows.map(({ slug, volume24h }) => [slug, volume24h]))
  for (const { slug, volume24hr } of shown) expect(volumes.get(slug)).toBe(volume24hr)
  for (const interval of ['5m', '15m', '4h'])
    expect(shown.some(({ slug }) => slug.startsWith(`btc-updown-${interval}-`))).toBe(true)
})
