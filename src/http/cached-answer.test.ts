import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAnswer, headersOf } from './cached-answer.js'

test('no client believes an answer fresh past its end, nor gives it up two seconds before', () => {
  const times = fc.record({ storedAtMs: fc.nat(), lifeMs: fc.nat(600_000), ageMs: fc.nat(700_000) })
  fc.assert(
    fc.property(times, ({ storedAtMs, lifeMs, ageMs }) => {
      const expiresAtMs = storedAtMs + lifeMs
      const answer = createAnswer('{}', { storedAtMs, expiresAtMs, head: undefined })
      const headers = headersOf(answer, 'identity', storedAtMs + ageMs)
      const read = (name: string) => headers[headers.indexOf(name) + 1] ?? ''
      const maxAgeSec = Number(read('cache-control').replace('private, max-age=', ''))
      const freshMs = (maxAgeSec - Number(read('age'))) * 1000
      expect(freshMs).toBeLessThanOrEqual(lifeMs - ageMs)
      expect(freshMs).toBeGreaterThan(lifeMs - ageMs - 2_000)
    }),
  )
})
