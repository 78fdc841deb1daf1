import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { signRequest } from './chainlink-rest.js'

test('method, target, hash of the body, key and time are signed', () => {
  const headers = signRequest(
    { apiKey: 'key', secret: 'secret' },
    { method: 'GET', target: '/api/v1/feeds?a=1' },
    1_791_000_000_123,
  )
  const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  const text = `GET /api/v1/feeds?a=1 ${emptyHash} key 1791000000123`
  expect(headers).toEqual({
    Authorization: 'key',
    'X-Authorization-Timestamp': '1791000000123',
    'X-Authorization-Signature-SHA256': createHmac('sha256', 'secret').update(text).digest('hex'),
  })
})
