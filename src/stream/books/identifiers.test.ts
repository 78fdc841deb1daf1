import { expect, test } from 'vitest'
import { sortIdentifiers } from './identifiers.js'

const CONDITION = `0x${'0a'.repeat(32)}`

test.each([
  ['*', 'isFirehose', true],
  [CONDITION, 'conditionIds', CONDITION],
  [CONDITION.toUpperCase(), 'conditionIds', CONDITION],
  ['12345678901', 'tokenIds', '12345678901'],
  ['00012345678901', 'tokenIds', '12345678901'],
  [String(2n ** 256n - 1n), 'tokenIds', String(2n ** 256n - 1n)],
  ['1234567890', 'slugs', '1234567890'],
  ['will-x-happen', 'slugs', 'will-x-happen'],
  ['-12345678901', 'slugs', '-12345678901'],
  ['0x0a', 'invalid', '0x0a'],
  ['00000000000', 'invalid', '00000000000'],
  [String(2n ** 256n), 'invalid', String(2n ** 256n)],
  ['9'.repeat(1_000), 'invalid', '9'.repeat(1_000)],
  ['a\0b', 'invalid', 'a\0b'],
  ['', 'invalid', ''],
  ['x'.repeat(257), 'invalid', 'x'.repeat(257)],
] as const)('%j is one of %s', (text, kind, id) => {
  const none = { isFirehose: false, tokenIds: [], conditionIds: [], slugs: [], invalid: [] }
  const { isFirehose, ...sets } = sortIdentifiers([text, text])
  const lists = Object.entries(sets).map(([name, set]) => [name, [...set]])
  expect({ isFirehose, ...Object.fromEntries(lists) }).toEqual({
    ...none,
    [kind]: id === true ? true : [id],
  })
})
