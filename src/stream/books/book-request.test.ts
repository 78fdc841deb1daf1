import { expect, test } from 'vitest'
import { Refusal } from '../connection.js'
import { IDENTIFIERS_MAX, parseBookRequest, sortIdentifiers } from './book-request.js'

test.each([
  [
    { action: 'subscribe', markets: ['a'] },
    { action: 'subscribe', identifiers: ['a'] },
  ],
  [
    { action: 'subscribe', type: 'orderbook', token_ids: ['1'] },
    { action: 'subscribe', identifiers: ['1'] },
  ],
  [
    { action: 'subscribe', markets: ['a'], token_ids: ['1'] },
    { action: 'subscribe', identifiers: ['a', '1'] },
  ],
  [
    { action: 'subscribe', filters: { token_ids: ['1'] } },
    { action: 'subscribe', identifiers: ['1'] },
  ],
  [{ action: 'unsubscribe' }, { action: 'unsubscribe', identifiers: undefined }],
  [
    { action: 'unsubscribe', markets: [] },
    { action: 'unsubscribe', identifiers: [] },
  ],
  [
    { action: 'unsubscribe', token_ids: ['1'] },
    { action: 'unsubscribe', identifiers: ['1'] },
  ],
  [{ action: 'resync' }, { action: 'resync', identifiers: undefined }],
  [
    { action: 'resync', markets: [] },
    { action: 'resync', identifiers: undefined },
  ],
  [
    { action: 'resync', markets: null },
    { action: 'resync', identifiers: undefined },
  ],
  [{ action: 'ping', extra: 1 }, { action: 'ping' }],
])('%j is understood', (message, request) => {
  expect(parseBookRequest(message)).toEqual(request)
})

test.each([
  [null],
  ['subscribe'],
  [[]],
  [{}],
  [{ action: 'subscribe' }],
  [{ action: 'subscribe', markets: [] }],
  [{ action: 'subscribe', markets: 'a' }],
  [{ action: 'subscribe', markets: { 0: 'a', length: 1 } }],
  [{ action: 'subscribe', markets: [1] }],
  [{ action: 'subscribe', markets: [['a']] }],
  [{ action: 'subscribe', token_ids: [null] }],
  [{ action: 'unsubscribe', markets: 'a' }],
  [{ action: 'SUBSCRIBE', markets: ['a'] }],
  [{ action: ['subscribe'], markets: ['a'] }],
])('invalid_message: %j', (message) => {
  expect(refusalOf(message)).toMatchObject({ code: 'invalid_message', message: expect.any(String) })
})

test('input_too_large: more identifiers than a message may have', () => {
  const message = { action: 'subscribe', markets: new Array(IDENTIFIERS_MAX).fill('a') }
  expect(refusalOf(message)).toBeUndefined()
  expect(refusalOf({ ...message, token_ids: ['a'] })).toMatchObject({
    code: 'input_too_large',
    fields: { max: IDENTIFIERS_MAX, requested: IDENTIFIERS_MAX + 1 },
  })
})

function refusalOf(message: unknown): Refusal | undefined {
  try {
    parseBookRequest(message)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  return undefined
}

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
