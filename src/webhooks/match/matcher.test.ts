import { Registry } from 'prom-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { sumMetric } from '../../../test/upstream-socket.js'
import { Plans } from '../../accounts/plans.js'
import { Bus } from '../../bus/bus.js'
import { makeEvents, makeFill } from '../../events/test-facts.js'
import { createLog } from '../../lib/log.js'
import { Matcher } from './matcher.js'
import { TestMatching } from './test-matching.js'

test('a committed block wakes the matcher, and what it queues wakes the dispatcher', async () => {
  const matching = await TestMatching.open()
  const { facts, clock } = matching
  const bus = new Bus({ clock, log: createLog('error', { write: () => undefined }) })
  const registry = new Registry()
  const onQueued = vi.fn()
  const matcher = new Matcher({ store: facts, plans: new Plans(), bus, clock, registry, onQueued })
  const controller = new AbortController()
  const running = matcher.run(controller.signal)
  onTestFinished(async () => {
    controller.abort()
    await running
  })
  const webhook = await matching.watch(['trade'])
  await matching.append((at) => ({ fills: [makeFill(3, at(3))] }))
  bus.publish(makeEvents({}))
  await vi.waitFor(() => expect(onQueued).toHaveBeenCalled(), { timeout: 60_000, interval: 1 })
  expect(await matching.eventsOf(webhook)).toHaveLength(1)
  expect(await sumMetric(registry, 'auspex_webhook_events_total', { type: 'trade' })).toBe(1)
  expect(await sumMetric(registry, 'auspex_webhook_lag_blocks')).toBe(0)
  expect(matcher.warnings).toEqual([])
})

test('the matcher passes on what the database throws, and goes on in a new run', async () => {
  const matching = await TestMatching.open()
  const { facts, clock } = matching
  const bus = new Bus({ clock, log: createLog('error', { write: () => undefined }) })
  const webhook = await matching.watch(['trade'])
  const onQueued = vi.fn()
  const matcher = new Matcher({
    store: facts,
    plans: new Plans(),
    bus,
    clock,
    registry: new Registry(),
    onQueued,
  })
  await facts.sql`alter table webhook_deliveries rename to gone`
  await matching.append((at) => ({ fills: [makeFill(3, at(3))] }))
  const controller = new AbortController()
  await expect(matcher.run(controller.signal)).rejects.toThrow('webhook_deliveries')
  await facts.sql`alter table gone rename to webhook_deliveries`
  const running = matcher.run(controller.signal)
  await vi.waitFor(() => expect(onQueued).toHaveBeenCalled(), { timeout: 60_000, interval: 1 })
  controller.abort()
  await running
  expect(await matching.eventsOf(webhook)).toHaveLength(1)
})
