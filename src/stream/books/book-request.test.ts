import { expect, test } from 'vitest'
import { BookRefusal } from './book-refusal.js'
import { IDENTIFIERS_MAX, parseBookRequest } from './book-request.js'

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

function refusalOf(message: unknown): BookRefusal | undefined {
  try {
    parseBookRequest(message)
  } catch (error) {
    if (error instanceof BookRefusal) return error
    throw error
  }
  return undefined
}
