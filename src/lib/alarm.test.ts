import { expect, test } from 'vitest'
import { Alarm } from './alarm.js'

const FOREVER_MS = 1_000_000

test('a pause ends when the alarm rings, the signal aborts or the time is over', async () => {
  const alarm = new Alarm()
  const ending = new AbortController()
  const rung = alarm.rest(FOREVER_MS, ending.signal)
  alarm.ring()
  await rung
  await alarm.rest(1, ending.signal)
  const aborted = alarm.rest(FOREVER_MS, ending.signal)
  ending.abort()
  await aborted
  await alarm.rest(FOREVER_MS, ending.signal)
})

test('a ring while the loop works ends its next pause, and no more than that', async () => {
  const alarm = new Alarm()
  const { signal } = new AbortController()
  alarm.ring()
  alarm.ring()
  await alarm.rest(FOREVER_MS, signal)
  let isOver = false
  const next = alarm.rest(FOREVER_MS, signal).then(() => {
    isOver = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isOver).toBe(false)
  alarm.ring()
  await next
})
