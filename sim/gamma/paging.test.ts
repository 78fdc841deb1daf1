import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Universe } from '../universe/universe.js'
import { keysetPage, offsetPage, orderRows, readOrder } from './paging.js'

type Item = { id: string; weight: number }
const FIELDS = { weight: (_: Universe, { weight }: Item) => weight }
const universe = {} as Universe

const items = fc
  .array(fc.integer({ min: 0, max: 3 }), { maxLength: 40 })
  .map((weights) => weights.map((weight, index): Item => ({ id: String(index), weight })))

test('following the cursors gives every item once, in order, on full pages', () => {
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 7 }), fc.boolean(), (all, limit, ascending) => {
      const query = new URLSearchParams({
        order: 'weight',
        ascending: `${ascending}`,
        limit: `${limit}`,
      })
      const order = readOrder(query, FIELDS)
      const rows = orderRows(universe, all, FIELDS, order)
      const seen: Item[] = []
      for (;;) {
        const { items: page, cursor } = keysetPage(rows, query, order, 5)
        seen.push(...page)
        if (cursor === undefined) break
        expect(page).toHaveLength(Math.min(limit, 5))
        query.set('after_cursor', cursor)
      }
      expect(seen).toEqual(rows.map(({ item }) => item))
    }),
  )
})

test('a cursor survives that items come and go', () => {
  const order = readOrder(new URLSearchParams(), FIELDS)
  const rowsOf = (ids: number[]) =>
    orderRows(
      universe,
      ids.map((id) => ({ id: `${id}`, weight: 0 })),
      FIELDS,
      order,
    )
  const { cursor = '' } = keysetPage(rowsOf([1, 2, 3, 4]), new URLSearchParams('limit=2'), order, 10)
  const query = new URLSearchParams({ after_cursor: cursor })
  const { items: page } = keysetPage(rowsOf([1, 3, 4, 5]), query, order, 10)
  expect(page.map(({ id }) => id)).toEqual(['3', '4', '5'])
})

test.each([
  ['an offset', 'offset=0'],
  ['a cursor that is none', 'after_cursor=abc'],
  ['a limit that is no number', 'limit=ten'],
])('refuses %s', (_, text) => {
  const query = new URLSearchParams(text)
  const order = readOrder(query, FIELDS)
  expect(() => keysetPage([], query, order, 10)).toThrow()
})

test('refuses a cursor of another order', () => {
  const byId = readOrder(new URLSearchParams(), FIELDS)
  const rows = orderRows(
    universe,
    [
      { id: '1', weight: 1 },
      { id: '2', weight: 1 },
    ],
    FIELDS,
    byId,
  )
  const { cursor = '' } = keysetPage(rows, new URLSearchParams('limit=1'), byId, 10)
  const query = new URLSearchParams({ order: 'weight', after_cursor: cursor })
  expect(() => keysetPage(rows, query, readOrder(query, FIELDS), 10)).toThrow('after_cursor')
})

test('refuses to order by a field that does not exist', () => {
  expect(() => readOrder(new URLSearchParams('order=weight,toString'), FIELDS)).toThrow('order')
})

test('an offset page starts where it is asked to and is never longer than allowed', () => {
  const all = [1, 2, 3, 4, 5]
  expect(offsetPage(all, new URLSearchParams('offset=1&limit=2'), 3)).toEqual([2, 3])
  expect(offsetPage(all, new URLSearchParams('limit=100'), 3)).toEqual([1, 2, 3])
  expect(offsetPage(all, new URLSearchParams('limit=0'), 3)).toEqual([])
})
