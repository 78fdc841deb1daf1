import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ClaimedDelivery } from './queries.js'
import { TakenDeliveries } from './taken-deliveries.js'

const deliveryOf = (
  webhook: number,
  number: number,
  more: Partial<ClaimedDelivery> = {},
): ClaimedDelivery => ({
  webhook,
  accountId: 1,
  publicId: 'wh_0',
  url: 'https://hooks.example',
  secret: Buffer.alloc(0),
  eventId: String(number),
  eventType: 'trade',
  body: '{}',
  createdAt: new Date(0),
  attempts: 0,
  isHealthy: true,
  places: 10,
  leaseEndMs: 0,
  ...more,
})
const RESULT = { success: true, statusCode: 200, latencyMs: 5, error: undefined }

test('every delivery begins once, in its order, and of a webhook run at most as many as it has slots', () => {
  const act = fc.record({
    webhook: fc.integer({ min: 1, max: 3 }),
    isEnd: fc.boolean(),
    places: fc.integer({ min: 1, max: 10 }),
  })
  fc.assert(
    fc.property(fc.array(act, { maxLength: 300 }), (acts) => {
      const taken = new TakenDeliveries()
      const begun = new Map<number, string[]>()
      const running = new Map<number, ClaimedDelivery[]>()
      const begin = (deliveries: ClaimedDelivery[], webhook: number, places: number) => {
        begun.set(webhook, [...(begun.get(webhook) ?? []), ...deliveries.map(({ eventId }) => eventId)])
        running.set(webhook, [...(running.get(webhook) ?? []), ...deliveries])
        // Those that ran before the slots became fewer go on.
        if (deliveries.length > 0) expect(running.get(webhook)?.length).toBeLessThanOrEqual(places)
      }
      const end = (webhook: number) => {
        const ended = running.get(webhook)?.shift()
        if (ended !== undefined) begin(taken.end(ended, RESULT), webhook, 10)
        return ended !== undefined
      }
      const added = new Map<number, string[]>()
      acts.forEach(({ webhook, isEnd, places }, number) => {
        if (isEnd) end(webhook)
        else {
          const delivery = deliveryOf(webhook, number, { places })
          added.set(webhook, [...(added.get(webhook) ?? []), delivery.eventId])
          begin(taken.add(delivery), webhook, places)
        }
      })
      for (const webhook of running.keys()) while (end(webhook));
      expect(taken.count).toBe(0)
      expect(begun).toEqual(added)
    }),
  )
})

test('a webhook is quick when its receiver last answered at once, and what waits can be taken out', () => {
  const taken = new TakenDeliveries()
  for (let number = 0; number < 12; number++) taken.add(deliveryOf(1, number))
  expect(taken.takeQuick()).toEqual([])
  taken.end(deliveryOf(1, 0), RESULT)
  expect(taken.takeQuick()).toEqual([{ webhook: 1, count: 11 }])
  taken.end(deliveryOf(1, 1), { ...RESULT, latencyMs: 2_000 })
  expect(taken.takeQuick()).toEqual([])
  taken.add(deliveryOf(1, 12))
  expect(taken.removeWaiting().map(({ eventId }) => eventId)).toEqual(['12'])
  expect(taken.count).toBe(10)
})

test('slots are counted by account, and half of them are not for receivers that are slow or fail', () => {
  const taken = new TakenDeliveries()
  const { free, freeForSlow } = taken.capacity
  expect(freeForSlow).toBe(free / 2)
  const slow = deliveryOf(1, 0, { accountId: 7, isHealthy: false, places: 1 })
  taken.add(slow)
  taken.add(deliveryOf(1, 1, { accountId: 7, isHealthy: false, places: 1 }))
  taken.add(deliveryOf(2, 2, { accountId: 8 }))
  expect(taken.capacity).toEqual({
    free: free - 3,
    freeForSlow: freeForSlow - 2,
    held: new Map([
      [7, 2],
      [8, 1],
    ]),
  })
  taken.removeWaiting(1)
  taken.end(slow, RESULT)
  expect(taken.capacity).toEqual({ free: free - 1, freeForSlow, held: new Map([[8, 1]]) })
})
