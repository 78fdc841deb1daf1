import { expect, test } from 'vitest'
import { unavailable } from '../core/errors.js'
import { UpstreamError } from '../core/upstream-error.js'
import { faultFields } from './fault-fields.js'
import { TimeoutError } from './timeout.js'

const lost = Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })

test.each<[string, Error, string]>([
  [
    'an upstream',
    new UpstreamError('GET / answered 500', { upstream: 'gamma', retryable: true }),
    'gamma: GET / answered 500',
  ],
  ['a lost database', lost, 'write CONNECTION_CLOSED'],
  ['a process that stops', unavailable('This process stops.'), 'This process stops.'],
  ['a timeout', new TimeoutError('no answer'), 'no answer'],
])('a fault of %s is logged as its text', (_what, error, reason) => {
  expect(faultFields(error)).toEqual({ reason })
})

test.each([new TypeError('x is undefined'), Object.assign(new Error('syntax'), { code: '42601' })])(
  'a fault of ours is logged with its stack: %s',
  (err) => expect(faultFields(err)).toEqual({ err }),
)
