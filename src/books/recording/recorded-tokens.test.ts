import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { parseBookNames } from '../../config/setting.js'
import { insertBookMarkets } from '../../stream/books/test-catalogue-rows.js'
import { selectNamedTokens } from '../queries.js'

const wordOf = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`

test.each<[string, unknown]>([
  ['all', 'all'],
  [' OFF ', 'off'],
  ['7123, Some-Slug', ['7123', 'some-slug']],
  [wordOf(7), [wordOf(7)]],
])('AUSPEX_RECORD_BOOKS=%s', (text, names) => {
  expect(parseBookNames(text)).toEqual(names)
})

test.each(['', 'a,,b', 'all,7123', 'a slug', '-x', Array.from({ length: 10_001 }, () => '1').join()])(
  'AUSPEX_RECORD_BOOKS=%.20s is refused',
  (text) => {
    expect(() => parseBookNames(text)).toThrow(/no token id|more than 10000/)
  },
)

test('books are named by token, condition, or slug of a market or an event', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const market = (id: number, event: number) => ({
    id,
    eventId: event,
    eventSlug: `event-${event}`,
    slug: `market-${id}`,
    conditionId: wordOf(id * 100),
    tokens: [wordOf(id * 10), wordOf(id * 10 + 1)],
  })
  await insertBookMarkets(database.sql, [market(1, 1), market(2, 1), market(3, 2), market(4, 3)])
  const select = (...names: string[]) => selectNamedTokens(database.sql, names, 100)
  expect(await select('11')).toEqual(['11'])
  expect(await select(wordOf(300), 'unknown')).toEqual(['30', '31'])
  expect(await select('market-4', '40')).toEqual(['40', '41'])
  expect(await select('event-1')).toEqual(['10', '11', '20', '21'])
  expect(await selectNamedTokens(database.sql, ['event-1'], 3)).toHaveLength(3)
  await database.sql`update markets set closed = true where id = 2`
  expect(await select('event-1', '20')).toEqual(['10', '11'])
})
