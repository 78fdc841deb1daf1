import { expect, onTestFinished, test } from 'vitest'
import { createTestApp } from '../../test/test-app.js'
import { STARTING } from '../store/store.js'

test('a request waits until the database has answered for the first time; probes do not', async () => {
  const t = await createTestApp()
  onTestFinished(() => t.close())
  const { store } = t.ctx
  let problem: string | undefined = STARTING
  Object.defineProperty(store, 'problem', { get: () => problem })
  let isAnswered = false
  const reply = t.app.inject({ method: 'POST', url: '/v1/keys' }).finally(() => {
    isAnswered = true
  })
  const ready = await t.app.inject('/readyz')
  expect([ready.statusCode, ready.json().checks.store]).toEqual([503, STARTING])
  expect((await t.app.inject('/healthz')).statusCode).toBe(200)
  expect(isAnswered).toBe(false)
  problem = undefined
  expect((await reply).statusCode).toBe(201)
})
