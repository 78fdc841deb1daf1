import { expect, test } from 'vitest'
import { PnlCalculations } from './pnl-calculations.js'

const LIMITS = { accountMax: 2, totalMax: 3, waitMsMax: 20 }

const caller = (accountId: number) => ({ caller: { accountId } })

/** Work that runs until the test ends it. */
function openWork() {
  let end: (result: string) => void = () => undefined
  const result = new Promise<string>((resolve) => {
    end = resolve
  })
  return { start: () => result, end }
}

const refusal = (status: number, scope: string) => ({
  status,
  message: 'wallet_pnl_busy',
  fields: { scope },
  retryAfterSeconds: 1,
})

test('a third calculation of an account is refused, one of another account is not', async () => {
  const calculations = new PnlCalculations(LIMITS)
  const work = openWork()
  const running = [calculations.run(caller(1), work.start), calculations.run(caller(1), work.start)]
  await expect(calculations.run(caller(1), work.start)).rejects.toMatchObject(
    refusal(429, 'v3_pnl_account_concurrency'),
  )
  expect(await calculations.run(caller(2), async () => 'free')).toBe('free')
  work.end('done')
  expect(await Promise.all(running)).toEqual(['done', 'done'])
})

test('the calculations of all accounts together are bounded', async () => {
  const calculations = new PnlCalculations(LIMITS)
  const work = openWork()
  const running = [1, 2, 3].map((accountId) => calculations.run(caller(accountId), work.start))
  await expect(calculations.run(caller(4), work.start)).rejects.toMatchObject(
    refusal(503, 'v3_pnl_global_concurrency'),
  )
  work.end('done')
  await Promise.all(running)
})

test('one that waits begins when a slot is free, also after a failure', async () => {
  const calculations = new PnlCalculations({ ...LIMITS, waitMsMax: 60_000 })
  const [first, second] = [openWork(), openWork()]
  const failing = calculations.run(caller(1), async () => {
    await first.start()
    throw new Error('failed')
  })
  const running = calculations.run(caller(1), second.start)
  const waiting = calculations.run(caller(1), async () => 'begun')
  first.end('')
  await expect(failing).rejects.toThrow('failed')
  expect(await waiting).toBe('begun')
  second.end('done')
  expect(await running).toBe('done')
})
