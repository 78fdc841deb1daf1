import { expect, test } from 'vitest'
import { readReplayRange } from './replay-range.js'

const NOW_MS = Date.UTC(2026, 10, 15, 12)
const HOUR_MS = 3_600_000
const read = (query: string) => readReplayRange(new URLSearchParams(query), NOW_MS)

test.each([
  ['from=2026-11-15T10:00:00Z&to=2026-11-15T11:00:00.500Z', 1, false, 500],
  [`from=${(NOW_MS - 2 * HOUR_MS) / 1000}&to=${(NOW_MS - HOUR_MS) / 1000}&speed=2.5`, 2.5, false, 0],
  [
    `from=${NOW_MS - 2 * HOUR_MS}&to=${NOW_MS - HOUR_MS}&speed=max&paused=1`,
    Number.POSITIVE_INFINITY,
    true,
    0,
  ],
])('a range is read: %s', (query, speed, isPaused, moreMs) => {
  const [fromMs, toMs] = [NOW_MS - 2 * HOUR_MS, NOW_MS - HOUR_MS + moreMs]
  expect(read(query)).toEqual({ fromMs, toMs, speed, isPaused })
})

test.each([
  ['from', 'to=1700000000'],
  ['from', 'from=yesterday&to=1700000000'],
  ['from', 'from=1700000000&from=1&to=1700000000'],
  ['from', 'from=99999999999999&to=1700000000'],
  ['to', 'from=1700000000'],
  ['to', 'from=1700000000&to=1700000000'],
  ['to', 'from=1700000000&to=1600000000'],
  ['to', `from=1700000000&to=${NOW_MS + 1}`],
  ['to', 'from=1700000000&to=2026-13-45T10:00:00Z'],
  ['speed', 'from=1700000000&to=1700000001&speed=0.5'],
  ['speed', 'from=1700000000&to=1700000001&speed=101'],
  ['speed', 'from=1700000000&to=1700000001&speed=fast'],
  ['speed', 'from=1700000000&to=1700000001&speed='],
  ['paused', 'from=1700000000&to=1700000001&paused=yes'],
])('a fault names the field %s: %s', (field, query) => {
  expect(read(query)).toEqual({ field, message: expect.stringContaining(`\`${field}\``) })
})
