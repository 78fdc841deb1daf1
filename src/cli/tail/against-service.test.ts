import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { listenSockets } from '../../../test/socket-client.js'
import { createTestApp, type TestApp } from '../../../test/test-app.js'
import { until } from '../../../test/until.js'
import { NO_KEYS } from '../../bus/event.js'
import type { TailEvent } from './event-line.js'
import { makeSubscription, type SubscriptionFlags } from './subscription.js'
import { tailStream } from './tail-stream.js'

let t: TestApp
let url: string
beforeAll(async () => {
  t = await createTestApp({ routes: [] })
  url = await listenSockets(t.app)
})
afterAll(() => t.close())

const publish = (side: 'BUY' | 'SELL', count = 1) => {
  const data = { event_type: 'trade', side, size: 10, price: 0.5 }
  const draft = { type: 'trade', timestampMs: t.clock.now(), data, keys: { ...NO_KEYS, side } }
  t.ctx.bus.publish(Array.from({ length: count }, () => draft))
}

/** Passes bytes on to the service, until it cuts all connections. */
async function openRelay() {
  const sockets = new Set<Socket>()
  const relay = createServer((client) => {
    const service = connect(Number(new URL(url).port), '127.0.0.1')
    for (const socket of [client, service]) sockets.add(socket.on('error', () => undefined))
    client.pipe(service).pipe(client)
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  onTestFinished(() => {
    cut()
    relay.close()
  })
  return { url: `ws://127.0.0.1:${(relay.address() as AddressInfo).port}`, cut }
}

function follow(address: string, key: string, type: string, flags: SubscriptionFlags = {}) {
  const events: TailEvent[] = []
  const notices: string[] = []
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  const done = tailStream({
    url: new URL('/ws', address),
    key,
    subscription: makeSubscription(type, flags),
    onEvent: async (event) => void events.push(event),
    notify: (text) => notices.push(text),
    signal: ending.signal,
    sleep: () => delay(100),
  })
  return { events, notices, done, end: () => ending.abort() }
}

describe('tail against the service', () => {
  test('misses nothing of what happens while the connection is away, and repeats nothing', async () => {
    const { key } = await t.createCaller('growth')
    const relay = await openRelay()
    const tail = follow(relay.url, key, 'trades', { side: 'BUY', last: 0 })
    await until(() => {
      if (tail.events.length === 0) publish('BUY')
      return tail.events.length > 0
    })
    const firstSeq = Number(tail.events[0]?.seq)
    relay.cut()
    publish('BUY', 300)
    publish('SELL', 300)
    await until(() => tail.events.length >= 301)
    publish('BUY')
    const wanted = t.ctx.bus
      .replay({ afterSeq: firstSeq - 1 })
      .filter(({ keys }) => keys.side === 'BUY')
      .map(({ seq }) => seq)
    await until(() => tail.events.length >= wanted.length)
    tail.end()
    await tail.done
    expect(tail.events.map(({ seq }) => seq)).toEqual(wanted)
    expect(tail.notices.at(-1)).toMatch(/^-- resumed behind seq \d+$/)
  })

  test('a key that does not exist ends it with the reason', async () => {
    const unknown = `ax_live_${'0'.repeat(48)}`
    await expect(follow(url, unknown, 'trades').done).rejects.toThrow(/\(unauthorized\)/)
  })

  test('a type or filter that does not exist ends it with what there is', async () => {
    const { key } = await t.createCaller('growth')
    await expect(follow(url, key, 'trade').done).rejects.toThrow(/Valid types: settlements, trades/)
    const wrong = follow(url, key, 'trades', { status: 'done' })
    await expect(wrong.done).rejects.toThrow(/status must be pending, confirmed or all/)
  })

  test('a second connection of a free account ends with its limit', async () => {
    const { key } = await t.createCaller('free')
    const both = [follow(url, key, 'blocks'), follow(url, key, 'blocks')]
    const refused = await Promise.race(both.map(({ done }) => done.catch((error) => error)))
    expect(String(refused)).toMatch(/\(connection_limit\)/)
  })
})
