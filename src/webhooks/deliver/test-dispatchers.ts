import { Registry } from 'prom-client'
import { expect, vi } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { ManualClock } from '../../../test/manual-clock.js'
import { type Answer, openReceiver, type ReceivedRequest } from '../../../test/webhooks/receiver.js'
import { Plans } from '../../accounts/plans.js'
import { FloodLog } from '../../lib/flood-log.js'
import { createLog } from '../../lib/log.js'
import { SecretBox } from '../../store/secret-box.js'
import { transact } from '../../store/transaction.js'
import { Dispatcher } from './dispatcher.js'
import { type DeliveryDraft, enqueue } from './enqueue.js'
import { createDeliveryMetrics } from './metrics.js'
import { Sender } from './sender.js'
import {
  draftOf,
  insertTestWebhook,
  selectAttempts,
  selectDeliveries,
  type TestWebhook,
} from './test-webhook.js'

export const untilHolds = (check: () => Promise<void> | void) =>
  vi.waitFor(check, { timeout: 60_000, interval: 5 })

export type DispatcherWorld = Awaited<ReturnType<typeof openDispatcherWorld>>

/** A database, a clock, receivers by path, and as many dispatchers as a test starts. */
export async function openDispatcherWorld() {
  const database = await createTestDatabase()
  const { sql } = database
  const store = { sql }
  const clock = new ManualClock()
  const config = { secretKey: 'ab'.repeat(32), dataDir: '/nonexistent' }
  const secretBox = new SecretBox({ config, store })
  const receiver = await openReceiverByPath()
  const running: { stop: () => Promise<void> }[] = []

  const start = (more: { timeoutMs?: number } = {}) => {
    const lines: string[] = []
    const log = createLog('debug', { write: (line) => lines.push(line) })
    const registry = new Registry()
    const sender = new Sender({ networks: ['127.0.0.0/8'], ...more })
    const dispatcher = new Dispatcher({
      store,
      secretBox,
      sender,
      clock,
      log,
      metrics: createDeliveryMetrics(registry),
      floodLog: new FloodLog(log),
    })
    const ending = new AbortController()
    const run = dispatcher.run(ending.signal)
    const stop = async () => {
      ending.abort()
      await run
      sender.close()
    }
    running.push({ stop })
    return { dispatcher, stop, lines, registry, wake: () => dispatcher.wake() }
  }

  type WorldWebhook = { secret?: string; accountId?: number; places?: number }
  const createWebhook = (path: string, { secret = 'whsec_0123456789abcdef', ...more }: WorldWebhook = {}) =>
    insertTestWebhook(sql, {
      ...more,
      nowMs: clock.now(),
      url: `${receiver.url}${path}`,
      seal: (name) => secretBox.encrypt(secret, name),
    })
  const add = (drafts: readonly DeliveryDraft[]) =>
    transact(sql, (tx) => enqueue(tx, drafts, { plans: new Plans(), nowMs: clock.now() }))
  const untilStates = (webhook: TestWebhook, states: readonly string[]) =>
    untilHolds(async () => {
      const rows = await selectDeliveries(sql, webhook)
      expect(rows.map(({ state }) => state)).toEqual(states)
    })

  let markers = 0
  return {
    sql,
    clock,
    receiver,
    untilStates,
    /** Waits until no attempt of a webhook runs and it has had this many. */
    untilAttempted: (webhook: TestWebhook, count: number) =>
      untilHolds(async () => {
        expect(await selectAttempts(sql, webhook)).toHaveLength(count)
        const rows = await selectDeliveries(sql, webhook)
        expect(rows.some(({ isLeased }) => isLeased)).toBe(false)
      }),
    /** Returns when a dispatcher has claimed everything that is due: a later delivery has come through. */
    lookAround: async ({ wake }: { wake: () => void }) => {
      const webhook = await createWebhook(`/marker-${markers++}`)
      await add([draftOf(webhook, 0)])
      wake()
      await untilStates(webhook, ['delivered'])
    },
    secretBox,
    start,
    createWebhook,
    add,
    stopAll: async () => {
      for (const { stop } of running.splice(0)) await stop()
    },
    close: async () => {
      for (const { stop } of running) await stop()
      await receiver.close()
      await database.drop()
    },
  }
}

type PathAnswer = (request: ReceivedRequest) => Answer | Promise<Answer>

/** Answers by path, 200 where nothing else is said. */
async function openReceiverByPath() {
  const answers = new Map<string, PathAnswer>()
  const receiver = await openReceiver({
    answer: (request) => answers.get(request.path)?.(request) ?? 200,
  })
  return {
    ...receiver,
    answer: (path: string, answer: PathAnswer) => answers.set(path, answer),
  }
}
