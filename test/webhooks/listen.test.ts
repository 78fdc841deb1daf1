import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { transact } from '../../src/store/transaction.js'
import { enqueue } from '../../src/webhooks/deliver/enqueue.js'
import { draftsOf } from '../../src/webhooks/deliver/test-webhook.js'
import { listenerRoutes } from '../../src/webhooks/listen/routes.js'
import { spawnBuilt } from '../processes.js'
import { createTestApp, type TestApp } from '../test-app.js'
import { until } from '../until.js'
import { openReceiver } from './receiver.js'

let t: TestApp
beforeAll(async () => {
  t = await createTestApp({ routes: (ctx) => [listenerRoutes(ctx, ctx)] })
  await listenOn(0)
})
afterAll(() => t.close())

async function listenOn(port: number): Promise<void> {
  await t.app.listen({ host: '127.0.0.1', port, listenTextResolver: () => '' })
}

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port

/** The command, with what it printed so far. */
function startListen(key: string, forwardTo: string, ...args: string[]) {
  const url = `http://127.0.0.1:${portOf(t.app.server)}`
  const flags = ['--url', url, '--forward-to', forwardTo, '--events', 'trade', ...args]
  const { child, output } = spawnBuilt('bin/auspex.js', ['listen', ...flags], { AUSPEX_KEY: key })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, text: () => output.join('') }
}

async function findListener(accountId: number) {
  const find = () => t.ctx.sql<{ id: number; publicId: string }[]>`
    select id, name as public_id from webhooks where account_id = ${accountId} and deleted_at is null`
  const [row] = await find()
  return row === undefined ? undefined : { ...row, accountId }
}

async function add(accountId: number, count: number, from = 0): Promise<void> {
  const listener = await findListener(accountId)
  if (listener === undefined) throw new Error('there is no listener')
  const drafts = draftsOf(listener, count, from)
  await transact(t.ctx.sql, (tx) => enqueue(tx, drafts, { plans: t.ctx.plans, nowMs: t.clock.now() }))
}

test('auspex listen forwards signed events, shows what came of each, and takes its listener away', async () => {
  const { key, accountId } = await t.createCaller('starter')
  const receiver = await openReceiver({
    answer: ({ envelope }) => (envelope.data.number === 0 ? 204 : 500),
  })
  const { child, text } = startListen(key, receiver.url.replace('127.0.0.1', 'localhost'))
  await until(() => text().includes('whsec_'))
  const secret = /whsec_[0-9a-f]{32}/.exec(text())?.[0] ?? ''
  const { publicId } = (await findListener(accountId)) ?? {}

  await add(accountId, 1)
  await until(() => /trade +evt_\S+ +204 +\d+ ms\n/.test(text()))
  await add(accountId, 1, 1)
  await until(() => /trade +evt_\S+ +500 +\d+ ms +http 500\n/.test(text()))
  const [first] = receiver.requests
  expect(first?.headers).toMatchObject({ 'x-webhook-id': publicId, 'x-webhook-event': 'trade' })
  expect(new Webhook(secret).verify(first?.body ?? '', first?.headers ?? {})).toMatchObject({
    type: 'trade',
    data: { number: 0 },
  })

  await receiver.close()
  await add(accountId, 2, 2)
  await until(() => (text().match(/evt_\S+ +--- +\d+ ms +connection refused\n/g) ?? []).length === 2)
  expect(text().match(/does not answer: connection refused\. Is your receiver running\?/g)).toHaveLength(1)

  child.kill('SIGINT')
  const [status] = await once(child, 'close')
  expect(status, text()).toBe(0)
  expect(await findListener(accountId)).toBeUndefined()
})

test('auspex listen goes on when the service restarts, and ends after --count events', async () => {
  const { key, accountId } = await t.createCaller('starter')
  const receiver = await openReceiver()
  onTestFinished(receiver.close)
  const { child, text } = startListen(key, receiver.url, '--json', '--count', '2')
  await until(() => text().includes('whsec_'))
  await add(accountId, 1)
  await until(() => receiver.requests.length === 1)

  // The port stays closed until the command has noticed.
  const port = portOf(t.app.server)
  await new Promise((resolve) => {
    t.app.server.close(resolve)
    t.app.server.closeAllConnections()
  })
  await until(() => text().includes('asking again in'))
  t.app.server.listen(port, '127.0.0.1')
  await add(accountId, 1, 1)
  const [status] = await once(child, 'close')
  expect(status, text()).toBe(0)
  expect(text()).toContain('-- connected again')
  const [opening, ...results] =
    text()
      .match(/^\{.*\}$/gm)
      ?.map((line) => JSON.parse(line)) ?? []
  expect(opening).toEqual({
    webhook_id: expect.stringMatching(/^wh_/),
    secret: expect.stringMatching(/^whsec_/),
    forward_to: `${receiver.url}/`,
  })
  expect(results).toMatchObject([
    { event_type: 'trade', success: true, status_code: 200, error: null },
    { event_type: 'trade', success: true, status_code: 200, error: null },
  ])
  expect(receiver.requests.map(({ body }) => JSON.parse(body).data.number)).toEqual([0, 1])
})

test('auspex listen says what the service refuses, with exit code 1', async () => {
  const { key } = await t.createCaller('starter')
  const { child, text } = startListen(key, 'localhost:1', '--wallet', '0x1')
  const [status] = await once(child, 'close')
  expect(status).toBe(1)
  expect(text()).toMatch(/^auspex: \S+: The filter wallet_addresses has "0x1"/)
})
