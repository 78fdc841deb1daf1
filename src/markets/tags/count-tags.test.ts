import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { ManualClock } from '../../../test/manual-clock.js'
import { updateCatalogueState } from '../../catalogue/queries.js'
import { insertTestMarkets } from '../test-catalogue.js'
import { createTagCounter } from './count-tags.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.sql`
    insert into tags values (1, 'up-or-down', 'Up or Down'), (2, null, 'No Slug'), (3, 'none', 'None'),
      (4, 'up-or-down', 'Up/Down')`
})
afterAll(() => database.drop())

test('counts tags at once, while the catalogue grows, when it is whole, and every hour', async () => {
  const { sql } = database
  const clock = new ManualClock()
  const count = createTagCounter({ sql }, clock)
  const counted = async () => {
    await count()
    return (await sql`select slug, label, markets, events from tag_counts order by slug`).map((row) =>
      Object.values(row).join(' '),
    )
  }
  expect(await counted()).toEqual([])

  const question = 'Up or down?'
  await insertTestMarkets(sql, [
    { question, slug: 'a', event: 7, tags: [1, 2, 4] },
    { question, slug: 'b', event: 7 },
    { question, slug: 'c', tags: [1] },
  ])
  expect(await counted()).toEqual([])
  clock.advance(5 * 60_000)
  const whole = ['no-slug No Slug 2 1', 'up-or-down Up or Down 3 2']
  expect(await counted()).toEqual(whole)

  await sql`delete from markets where slug = 'c'`
  await updateCatalogueState(sql, { phase: 'done' })
  const fewer = ['no-slug No Slug 2 1', 'up-or-down Up or Down 2 1']
  expect(await counted()).toEqual(fewer)

  await sql`delete from markets`
  clock.advance(59 * 60_000)
  expect(await counted()).toEqual(fewer)
  clock.advance(60_000)
  expect(await counted()).toEqual([])
})
