import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FairSemaphore } from '../lib/fair-semaphore.js'
import type { Sql } from '../store/connection.js'
import { scoreNow } from './on-demand.js'
import { resolveCopyWindow } from './window.js'

const NOW_SEC = 1_794_823_200

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('503: six wallets are being scored, and no slot was free for five seconds', async () => {
  const scans = new FairSemaphore()
  const pending = new Promise<never>(() => undefined)
  // A database that does not answer.
  const sql = (() => pending) as unknown as Sql
  const order = { window: resolveCopyWindow({}, NOW_SEC), slippageBp: 0, includesTrades: false }
  const score = () => scoreNow({ sql, scans }, `0x${'00'.repeat(20)}`, order)
  for (let run = 0; run < 6; run++) void score()
  const refused = expect(score()).rejects.toMatchObject({
    status: 503,
    message: 'Too many wallets are being scored now; try again in a moment.',
  })
  await vi.advanceTimersByTimeAsync(4_999)
  expect([scans.running, scans.waiting]).toEqual([6, 1])
  await vi.advanceTimersByTimeAsync(1)
  await refused
})
