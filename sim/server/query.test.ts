import { expect, test } from 'vitest'
import { readFlag, readInt, readList, readNumber } from './query.js'

const query = new URLSearchParams('a=1,2&a=3&a=&n=-7&bad=1.5&x=0.25&yes=TRUE&no=0&odd=maybe&empty=')

test('lists come repeated, with commas, or both', () => {
  expect(readList(query, 'a')).toEqual(['1', '2', '3'])
  expect(readList(query, 'none')).toEqual([])
})

test('absent is undefined, nonsense is NaN', () => {
  expect(readInt(query, 'n')).toBe(-7)
  expect(readInt(query, 'bad')).toBeNaN()
  expect(readInt(query, 'none')).toBeUndefined()
  expect(readInt(query, 'empty')).toBeUndefined()
  expect(readNumber(query, 'x')).toBe(0.25)
  expect(readNumber(query, 'odd')).toBeNaN()
  expect(readNumber(query, 'none')).toBeUndefined()
})

test('flags', () => {
  expect(['yes', 'no', 'odd', 'none'].map((key) => readFlag(query, key))).toEqual([
    true,
    false,
    undefined,
    undefined,
  ])
})
