import { expect, test } from 'vitest'
import { addQuery, toCommaList, toQueryString } from './query.js'

test('a list repeats its key, what is undefined is left out', () => {
  const query = { id: ['a', 'b c'], closed: false, limit: 5, order: undefined }
  expect(toQueryString(query)).toBe('?id=a&id=b+c&closed=false&limit=5')
  expect(toQueryString({ order: undefined })).toBe('')
})

test('a further query follows the first', () => {
  expect(addQuery('/a', '?key=1')).toBe('/a?key=1')
  expect(addQuery('/a?b=2', '?key=1')).toBe('/a?b=2&key=1')
  expect(addQuery('/a?b=2', '')).toBe('/a?b=2')
})

test('a list with commas, or none', () => {
  expect(toCommaList(['a', 'b'])).toBe('a,b')
  expect(toCommaList(undefined)).toBeUndefined()
})

test('an empty list is refused: without it the filter would be gone', () => {
  expect(() => toQueryString({ slug: [] })).toThrow('slug is a list of nothing')
  expect(() => toCommaList([])).toThrow('a list of nothing')
})
