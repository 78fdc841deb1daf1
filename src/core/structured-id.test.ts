import { expect, test } from 'vitest'
import { isCombo, parseConditionId, parseStructuredId, toConditionId } from './structured-id.js'

const COMBO = '0x032def24bfb0c5c57fb236fac08b94236a0000000000000000000000000000'
const TOKEN = '0xa2f9dfa97533d1139db0e79e2888791e4d2229a5933c64657caa107e89c20e44'

test('reads every field of an id', () => {
  expect(parseStructuredId('0x0200112233445566778899aabbccddeeff00040000000000000000010200030a')).toEqual({
    moduleId: 2,
    arity: 4,
    conditionIndex: 3,
    outcomeIndex: 10,
    conditionId: '0x0200112233445566778899aabbccddeeff000400000000000000000102' + '0003',
    eventId: '0x0200112233445566778899aabbccddeeff000400000000000000000102',
  })
})

test.each([
  ['a hash', TOKEN],
  ['no module', `0x00${'0'.repeat(62)}`],
  ['a module that is not there', `0x05${'0'.repeat(62)}`],
  ['something in the unused bytes', `0x03${'0'.repeat(36)}1${'0'.repeat(25)}`],
])('%s is of the old kind', (_what, id) => {
  expect(parseStructuredId(id)).toBeUndefined()
})

test('a condition of 31 bytes is padded, one of 32 stays, anything else is none', () => {
  expect(parseConditionId(COMBO.replace('def', 'DEF'))).toBe(`${COMBO}00`)
  expect(parseConditionId(TOKEN)).toBe(TOKEN)
  for (const text of ['', '0x', `${COMBO}0`, `${TOKEN}00`, TOKEN.slice(2), TOKEN.replace('a', 'g')])
    expect(parseConditionId(text)).toBeUndefined()
})

test('a position of a combo, and its condition', () => {
  expect(isCombo(`${COMBO}01`)).toBe(true)
  expect(isCombo(TOKEN)).toBe(false)
  expect(toConditionId(`${COMBO}00`)).toBe(COMBO)
  expect(toConditionId(TOKEN)).toBe(TOKEN)
})
