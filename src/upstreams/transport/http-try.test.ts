import { expect, test } from 'vitest'
import { parseRetryAfterMs } from './http-try.js'

const NOW_MS = Date.UTC(2026, 10, 15, 12)
const LATER = 'Sun, 15 Nov 2026 12:00:07 GMT'

const limitOf = (remaining: string, resetSec: number) => ({
  'x-rate-limit-remaining': remaining,
  'x-rate-limit-reset': `${resetSec}`,
})

test.each([
  ['seconds', { 'retry-after': '3' }, '', 3_000],
  ['parts of a second', { 'retry-after': ' 0.5 ' }, '', 500],
  ['a date, by our clock', { 'retry-after': LATER }, '', 7_000],
  [
    'a date, by the clock of the upstream',
    { 'retry-after': LATER, date: 'Sun, 15 Nov 2026 12:00:05 GMT' },
    '',
    2_000,
  ],
  ['a date that is over', { 'retry-after': 'Sun, 15 Nov 2020 12:00:00 GMT' }, '', 0],
  ['more than we are willing to wait', { 'retry-after': '86400' }, '', 600_000],
  ['a field of the body', {}, '{"error":"slow down","retry_after_seconds":2}', 2_000],
  ['the end of a used-up limit', limitOf('0', NOW_MS / 1000 + 40), '', 40_000],
  ['a limit that is not used up', limitOf('7', NOW_MS / 1000 + 40), '', undefined],
  ['nothing', {}, '{"error":"slow down"}', undefined],
  ['nonsense', { 'retry-after': 'soon' }, '', undefined],
])('parses how long to wait: %s', (_what, headers, body, expected) => {
  expect(parseRetryAfterMs(headers, body, NOW_MS)).toBe(expected)
})
