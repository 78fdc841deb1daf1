import { expect, test } from 'vitest'
import { isTextList, parseFields } from './json.js'

test('the fields of an object, and of nothing else', () => {
  expect(parseFields('{"a":[1]}')).toEqual({ a: [1] })
  expect(parseFields('{}')).toEqual({})
  for (const text of ['', '{', '[]', '[{"a":1}]', 'null', '5', '"{}"', 'undefined']) {
    expect(parseFields(text)).toBeUndefined()
  }
})

test('a list of texts', () => {
  expect(isTextList([])).toBe(true)
  expect(isTextList(['a', ''])).toBe(true)
  expect(isTextList(['a', 1])).toBe(false)
  expect(isTextList('a')).toBe(false)
})
