import { expect, test } from 'vitest'
import { createRedact } from './redact.js'

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
