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
  expect(after.markets.filter(isClosed).length).toBeGreaterThan(
    before.markets.filter(isClosed).length,
  )
  await syncChanges(world.deps, never)
  expect(await contentsOfDatabase(world.sql)).toEqual(after)
  expect(await selectCatalogueState(world.sql)).toMatchObject({
    syncedAt: new Date(world.clock.now()),
  })

  world.requests.length = 0
  await syncChanges(world.deps, never)
  expect(world.requests.length).toBeLessThan(6)
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
