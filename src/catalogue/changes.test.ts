import { afterAll, beforeAll, expect, test } from 'vitest'
import { syncChanges, syncOpenEvents } from './changes.js'
import { syncWholeCatalogue } from './full-sync.js'
import { selectCatalogueState } from './queries.js'
import { contentsOfDatabase, contentsOfUniverse } from './test-contents.js'
import { type CatalogueWorld, never, openCatalogueWorld } from './test-world.js'

let world: CatalogueWorld
beforeAll(async () => {
  world = await openCatalogueWorld()
  await syncWholeCatalogue(world.deps, never, () => undefined)
  expect(await world.sql`select from new_markets`).toEqual([])
})
afterAll(() => world.close())

const live = (minutes: number) => {
  world.universe.advance(world.universe.nowMs + minutes * 60_000)
  world.clock.set(world.universe.nowMs)
}
const titleOf = async (slug: string | undefined) => {
  const [row] = await world.sql`select title, gone_at from events where slug = ${slug ?? ''}`
  return row
}

test('new markets and markets that closed are read from where the last time ended', async () => {
  const before = contentsOfUniverse(world)
  live(20)
  const after = contentsOfUniverse(world)
  expect(after.markets.length).toBeGreaterThan(before.markets.length)
  const isClosed = ({ closed }: { closed: boolean }) => closed
  expect(after.markets.filter(isClosed).length).toBeGreaterThan(before.markets.filter(isClosed).length)
  await syncChanges(world.deps, never)
  expect(await contentsOfDatabase(world.sql)).toEqual(after)
  expect(await selectCatalogueState(world.sql)).toMatchObject({
    syncedAt: new Date(world.clock.now()),
  })

  world.requests.length = 0
  await syncChanges(world.deps, never)
  expect(world.requests.length).toBeLessThan(6)
})

test('markets that are met after the first reading wait to be announced, unless they are old', async () => {
  const selectQueued = async () => {
    const rows = await world.sql<{ market: number }[]>`select market from new_markets`
    return rows.map(({ market }) => String(market)).sort()
  }
  const idsOf = () => contentsOfUniverse(world).markets.map(({ id }) => String(id))
  await world.sql`truncate new_markets`
  const known = new Set(idsOf())
  live(20)
  await syncChanges(world.deps, never)
  const added = idsOf().filter((id) => !known.has(id))
  expect(added).not.toEqual([])
  expect(await selectQueued()).toEqual(added.sort())

  await world.sql`truncate new_markets`
  await syncOpenEvents(world.deps, never)
  expect(await selectQueued()).toEqual([])

  const [old] = await world.sql<{ id: number; slug: string }[]>`
    select id, slug from markets where id = ${Number(added[0])}`
  await world.sql`delete from markets where id = ${Number(added[0])}`
  world.clock.set(world.universe.nowMs + 25 * 60 * 60_000)
  await syncOpenEvents(world.deps, never)
  expect(await world.sql`select slug from markets where id = ${Number(added[0])}`).toEqual([
    { slug: old?.slug },
  ])
  expect(await selectQueued()).toEqual([])
  world.clock.set(world.universe.nowMs)
})

test('a run that fails is made up for by the next one', async () => {
  live(20)
  world.spoil = ({ path }, reply) =>
    path === '/events/keyset' ? { status: 400, body: { error: 'no' } } : reply
  await expect(syncChanges(world.deps, never)).rejects.toThrow('gamma')
  world.spoil = (_request, reply) => reply
  await syncChanges(world.deps, never)
  expect(await contentsOfDatabase(world.sql)).toEqual(contentsOfUniverse(world))
})

test('what else changes about an open event is found by reading all of them', async () => {
  const event = world.events().at(-1)
  world.spoil = (_request, reply) => {
    const text = JSON.stringify(reply.body).replaceAll(`"${event?.title}"`, '"Another title"')
    return { ...reply, body: JSON.parse(text) }
  }
  await syncOpenEvents(world.deps, never)
  expect(await titleOf(event?.slug)).toMatchObject({ title: 'Another title' })
  expect(world.deps.catalogue.byCondition(event?.markets[0]?.conditionId ?? '')).toMatchObject({
    eventTitle: 'Another title',
  })
  world.spoil = (_request, reply) => reply
  await syncOpenEvents(world.deps, never)
  expect(await titleOf(event?.slug)).toMatchObject({ title: event?.title })
})

test('events that are no longer shown as open are followed, and nothing is thrown away', async () => {
  live(10)
  const hidden = world.events().at(-1)
  world.spoil = (_request, reply) => {
    const { events } = reply.body as { events?: { id: string }[] }
    if (events === undefined) return reply
    const shown = events.filter(({ id }) => id !== hidden?.id)
    return { ...reply, body: { ...(reply.body as object), events: shown } }
  }
  await syncOpenEvents(world.deps, never)
  world.spoil = (_request, reply) => reply
  // Only what closed is made up for: the hidden event was known already or comes with its return.
  await syncChanges(world.deps, never)
  await syncOpenEvents(world.deps, never)
  expect(await contentsOfDatabase(world.sql)).toEqual(contentsOfUniverse(world))

  world.spoil = (_request, reply) => ({ ...reply, body: { events: [], markets: [] } })
  await syncOpenEvents(world.deps, never)
  expect(await titleOf(hidden?.slug)).toMatchObject({ goneAt: new Date(world.clock.now()) })
  expect(await contentsOfDatabase(world.sql)).toEqual(contentsOfUniverse(world))
  world.spoil = (_request, reply) => reply
  await syncOpenEvents(world.deps, never)
  expect(await titleOf(hidden?.slug)).toMatchObject({ goneAt: null })
})
