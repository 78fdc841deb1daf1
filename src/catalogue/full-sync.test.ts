import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type SyncProgress, syncWholeCatalogue } from './full-sync.js'
import { selectCatalogueState, updateCatalogueState } from './queries.js'
import { contentsOfDatabase, contentsOfUniverse, hashContents } from './test-contents.js'
import { type CatalogueWorld, never, openCatalogueWorld } from './test-world.js'

let world: CatalogueWorld
beforeAll(async () => {
  world = await openCatalogueWorld()
})
afterEach(() => world.forget())
afterAll(() => world.close())

const ignore = () => undefined
describe('syncWholeCatalogue', () => {
  test('copies the whole catalogue, open and closed, and reports its progress', async () => {
    const reported: SyncProgress[] = []
    expect(await syncWholeCatalogue(world.deps, never, (progress) => reported.push(progress))).toBe(true)
    const expected = contentsOfUniverse(world)
    expect(expected.events.length).toBeGreaterThan(300)
    expect(await contentsOfDatabase(world.sql)).toEqual(expected)

    expect(reported.at(-1)).toEqual({
      phase: 'done',
      events: expected.events.length,
      markets: expected.markets.length,
      share: 1,
    })
    const shares = reported.flatMap(({ share }) => share ?? [])
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    expect((await selectCatalogueState(world.sql)).odd).toBe(0)
    expect(await syncWholeCatalogue(world.deps, never, ignore)).toBe(false)
  })

  test('goes on where it was lost, and ends with the same rows', async () => {
    await syncWholeCatalogue(world.deps, never, ignore)
    const undisturbed = await hashContents(world.sql)
    const pages = world.requests.length
    await world.forget()

    // Some transactions are lost in the middle, others when all of the page is written.
    await world.sql.unsafe(`
      create sequence writes;
      create function lose() returns trigger language plpgsql as $$ begin
        if nextval('writes') % 4 = 0 then raise 'no memory left' using errcode = '53200'; end if;
        return null;
      end $$;
      create trigger lose after insert on market_tokens for each statement execute function lose();
      create trigger lose after update on catalogue_state for each row execute function lose();`)
    let lives = 1
    while (await syncWholeCatalogue(world.deps, never, ignore).catch(() => 'lost')) lives++
    await world.sql`drop function lose cascade`
    expect(lives).toBeGreaterThan(2)
    expect(await hashContents(world.sql)).toBe(undisturbed)
    // Each life reads again what was not written yet, and asks for the newest id.
    expect(world.requests.length).toBeLessThan(pages + lives * 3)
  })

  test('begins a pass again when its cursor is not taken any more', async () => {
    await updateCatalogueState(world.sql, { cursor: 'of another age' })
    await syncWholeCatalogue(world.deps, never, ignore)
    expect(await contentsOfDatabase(world.sql)).toEqual(contentsOfUniverse(world))
  })

  test('keeps what it can of malformed entries, leaves out what has no id, and counts both', async () => {
    const [malformed, hopeless, tokenless] = world.events().slice(-3)
    world.spoil = (request, reply) => {
      if (request.path !== '/events/keyset') return reply
      const text = JSON.stringify(reply.body, (key, value) => {
        if (value?.slug === malformed?.slug && value?.markets) value.markets[0].endDate = 'soon'
        if (value?.slug === malformed?.slug && value?.markets) value.title = `nul\0l \ud800`
        if (value?.slug === hopeless?.slug && value?.markets) value.id = { not: 'an id' }
        if (value?.slug === tokenless?.slug && value?.clobTokenIds) value.clobTokenIds = '["12", 7'
        return key === 'volume24hr' && value === 0 ? 'much' : value
      })
      return { ...reply, body: JSON.parse(text) }
    }
    await syncWholeCatalogue(world.deps, never, ignore)
    const { events, markets } = await contentsOfDatabase(world.sql)
    const whole = contentsOfUniverse(world)
    expect(events).toHaveLength(whole.events.length - 1)
    expect(markets).toHaveLength(whole.markets.length - 1)
    expect(events.find(({ slug }) => slug === malformed?.slug)).toMatchObject({ title: 'null ' })
    expect(markets.find(({ slug }) => slug === malformed?.slug)).toMatchObject({ endAt: null })
    expect(markets.find(({ slug }) => slug === tokenless?.slug)).toMatchObject({ tokens: [] })
    expect((await selectCatalogueState(world.sql)).odd).toBeGreaterThan(3)
  })

  test('a row that the database refuses does not keep the others out', async () => {
    await world.sql`
      alter table markets add constraint moody check (id % 100 <> 7 or slug is null)`
    await syncWholeCatalogue(world.deps, never, ignore)
    const { events } = contentsOfUniverse(world)
    const refused = world.events().filter((event) => event.markets.some(({ id }) => Number(id) % 100 === 7))
    expect(refused.length).toBeGreaterThan(0)
    expect((await contentsOfDatabase(world.sql)).events).toHaveLength(events.length - refused.length)
    expect((await selectCatalogueState(world.sql)).odd).toBe(refused.length)
    await world.sql`alter table markets drop constraint moody`
  })
})
