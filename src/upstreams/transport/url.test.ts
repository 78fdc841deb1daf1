import { expect, test } from 'vitest'
import { addQuery, createRedact, toQueryString } from './url.js'

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

test('an empty list is refused: without it the filter would be gone', () => {
  expect(() => toQueryString({ slug: [] })).toThrow('the list slug is empty')
})

test.each([
  ['a key in the path', 'https://node/v2/0123456789', 'Cannot POST /v2/0123456789'],
  ['a key in the query', 'wss://node/?apikey=0123456789', 'no such key 0123456789, 0123456789'],
  ['a password', 'https://me:0123456789@node', 'wrong password 0123456789'],
  ['an address that is none', 'http://[0123456789', 'Invalid URL: http://[0123456789'],
])('hides %s', (_what, address, said) => {
  expect(createRedact(address)(said)).not.toContain('0123456789')
})

test('leaves everything else as it is', () => {
  const said = 'v2 of https://node is not there'
  expect(createRedact('https://node/v2/0123456789')(said)).toBe(said)
})
