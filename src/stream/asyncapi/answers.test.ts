import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listenSockets, type Received, SocketClient } from '../../../test/socket-client.js'
import { createTestApp, type TestApp } from '../../../test/test-app.js'
import { sumMetric } from '../../../test/upstream-socket.js'
import { NO_KEYS } from '../../bus/event.js'
import { ACTION_COSTS } from '../action-costs.js'
import { describeStreams } from './document.js'

const { components } = describeStreams()
const ajv = new Ajv({ strict: false })

let t: TestApp
let url: string
let key: string
beforeAll(async () => {
  t = await createTestApp({ routes: [] })
  url = await listenSockets(t.app)
  key = (await t.createCaller('growth')).key
})
afterAll(() => t.close())

/** What the document says against the message under this name; empty: it is right. */
function faultsOf(name: string, message: Received): string[] {
  const validate = ajv.compile(components.messages[name]?.payload ?? false)
  validate(message)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

describe('what the service sends has the shapes of the document', () => {
  const data = { event_type: 'trade' }
  const trade = { type: 'trade', timestampMs: 1_794_823_203_412, data, keys: NO_KEYS }

  test.each<[string, object | string, string[]]>([
    ['a subscribe with replay', { action: 'subscribe', type: 'trades' }, ['subscribed', 'snapshot']],
    ['since_seq', { action: 'subscribe', type: 'trades', since_seq: 0 }, ['subscribed', 'snapshot']],
    ['coin prices', { action: 'subscribe', type: 'chainlink' }, ['subscribed']],
    ['an unsubscribe', { action: 'unsubscribe' }, ['unsubscribed']],
    ['a ping', { action: 'ping' }, ['pong']],
    ['no JSON', '{', ['error']],
    ['an unknown type', { action: 'subscribe', type: 'x' }, ['error']],
    ['a wrong filter', { action: 'subscribe', filters: { side: 7 } }, ['error']],
    ['an unknown subscription', { action: 'unsubscribe', subscription_id: 'x' }, ['error']],
    ['books without names', { action: 'subscribe', type: 'orderbook' }, ['error']],
  ])('event socket: %s', async (_what, message, names) => {
    t.ctx.bus.publish([trade])
    const client = await SocketClient.open(`${url}/ws?key=${key}`)
    client.send(message)
    for (const name of names) expect(faultsOf(name, await client.next())).toEqual([])
    client.socket.close()
  })

  test.each<[string, object | string, string]>([
    ['a ping', { action: 'ping' }, 'books_pong'],
    ['an unsubscribe', { action: 'unsubscribe' }, 'books_unsubscribed'],
    ['no JSON', '{', 'book_error'],
    ['no names', { action: 'subscribe' }, 'book_error'],
    ['a resync without integrity mode', { action: 'resync' }, 'book_error'],
  ])('orderbook socket: %s', async (_what, message, name) => {
    const client = await SocketClient.open(`${url}/ws/orderbook?key=${key}`)
    client.send(message)
    expect(faultsOf(name, await client.next())).toEqual([])
    client.socket.close()
  })

  test.each([
    ['ws', 'error'],
    ['ws/orderbook', 'book_error'],
  ])('%s: a refused key', async (path, name) => {
    const client = await SocketClient.open(`${url}/${path}?key=nope`)
    expect(faultsOf(name, await client.next())).toEqual([])
    expect((await client.closed()).code).toBe(4401)
  })
})

test.each(Object.keys(ACTION_COSTS))('%s costs the account units of work', async (name) => {
  const isOfBooks = name.includes('books') || name === 'resync'
  const client = await SocketClient.open(`${url}/ws${isOfBooks ? '/orderbook' : ''}?key=${key}`)
  const spent = () => sumMetric(t.ctx.metrics, 'auspex_work_units_total', {})
  const before = await spent()
  client.send((components.messages[name]?.examples[0]?.payload ?? {}) as object)
  await client.next()
  expect(await spent()).toBeGreaterThan(before)
  client.socket.close()
})

describe('what the document shows clients to send is taken', () => {
  const clientMessages = ['subscribe', 'unsubscribe', 'ping', 'subscribe_books', 'unsubscribe_books']
  const examples = clientMessages
    .flatMap((name) =>
      (components.messages[name]?.examples ?? []).map(
        (example) => [name, example.name, example.payload] as const,
      ),
    )
    // All books wait for a list of open markets, which never comes here.
    .filter(([name, what]) => name !== 'subscribe_books' || what !== 'All books')

  test.each(examples)('%s: %s', async (_name, _what, payload) => {
    const client = await SocketClient.open(`${url}/ws?key=${key}`)
    client.send(payload as object)
    const { type, code } = await client.next()
    // The catalogue of this service is empty, and the connection has made no subscription.
    const expected = ['unresolved_slugs', 'unknown_subscription', 'service_warming_up', undefined]
    expect(expected, `${type} ${code}`).toContain(code)
    client.socket.close()
  })
})
