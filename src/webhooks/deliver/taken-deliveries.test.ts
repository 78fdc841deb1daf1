import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TakenDeliveries } from './dispatcher.js'
import type { ClaimedDelivery } from './queries.js'

const deliveryOf = (webhook: number, number: number): ClaimedDelivery => ({
  webhook,
  publicId: 'wh_0',
  url: 'https://hooks.example',
  secret: Buffer.alloc(0),
  eventId: String(number),
  eventType: 'trade',
  body: '{}',
  createdAt: new Date(0),
  attempts: 0,
  leaseEndMs: 0,
})
const RESULT = { success: true, statusCode: 200, latencyMs: 5, error: undefined }

test('every delivery begins once, in its order, and at most ten of a webhook run', () => {
  const act = fc.record({ webhook: fc.integer({ min: 1, max: 3 }), isEnd: fc.boolean() })
  fc.assert(
    fc.property(fc.array(act, { maxLength: 300 }), (acts) => {
      const taken = new TakenDeliveries()
      const begun = new Map<number, string[]>()
      const running = new Map<number, number>()
      const begin = ({ webhook, eventId }: ClaimedDelivery) => {
        begun.set(webhook, [...(begun.get(webhook) ?? []), eventId])
        running.set(webhook, (running.get(webhook) ?? 0) + 1)
      }
      const end = (webhook: number) => {
        const next = taken.end(webhook, RESULT)
        running.set(webhook, (running.get(webhook) ?? 0) - 1)
        if (next !== undefined) begin(next)
      }
      const added = new Map<number, string[]>()
      acts.forEach(({ webhook, isEnd }, number) => {
        if (!isEnd) {
          const delivery = deliveryOf(webhook, number)
          added.set(webhook, [...(added.get(webhook) ?? []), delivery.eventId])
          if (taken.add(delivery)) begin(delivery)
        } else if ((running.get(webhook) ?? 0) > 0) end(webhook)
        for (const count of running.values()) expect(count).toBeLessThanOrEqual(10)
      })
      for (const webhook of running.keys()) while ((running.get(webhook) ?? 0) > 0) end(webhook)
      expect(taken.count).toBe(0)
      expect(begun).toEqual(added)
    }),
  )
})

test('a webhook is quick when its receiver last answered at once, and what waits can be taken out', () => {
  const taken = new TakenDeliveries()
  for (let number = 0; number < 12; number++) taken.add(deliveryOf(1, number))
  expect(taken.takeQuick()).toEqual([])
  taken.end(1, RESULT)
  expect(taken.takeQuick()).toEqual([{ webhook: 1, count: 11 }])
  taken.end(1, { ...RESULT, latencyMs: 2_000 })
  expect(taken.takeQuick()).toEqual([])
  taken.add(deliveryOf(1, 12))
  expect(taken.removeWaiting().map(({ eventId }) => eventId)).toEqual(['12'])
  expect(taken.count).toBe(10)
})
