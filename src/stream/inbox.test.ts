import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { WebSocket } from 'ws'
import { ManualClock } from '../../test/manual-clock.js'
import { listenSockets, SocketClient } from '../../test/socket-client.js'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { until } from '../../test/until.js'
import { DEFAULT_PLANS } from '../accounts/plans.js'
import { WorkShares } from '../accounts/work-shares.js'
import { hasMoreItems, Inbox, Inboxes } from './inbox.js'
import { RecordingConnection } from './test-connection.js'

const KB = 1024

/** Only whether it is read. */
class StandInSocket {
  isPaused = false

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
  }
}

function openAccount(bytesMax: number, now?: () => number) {
  const shares = new WorkShares({ registry: new Registry(), ...(now && { now }) })
  const inboxes = new Inboxes(bytesMax)
  const { caller } = new RecordingConnection('growth')
  const connect = (itemsMax = Number.POSITIVE_INFINITY) => {
    const socket = new StandInSocket()
    const handled: string[] = []
    const refused: object[] = []
    let release = () => {}
    const inbox = new Inbox({
      socket: socket as unknown as WebSocket,
      clock: new ManualClock(),
      caller,
      shares,
      inboxes,
      itemsMax,
      onMessage: (text) => {
        handled.push(text)
        return new Promise((resolve) => {
          release = resolve
        })
      },
      onRefused: ({ code, fields }) => refused.push({ code, ...fields }),
      onFlood: () => undefined,
      onFault: (error) => {
        throw error
      },
    })
    const send = (text: string) => inbox.add(Buffer.from(text), false)
    return { inbox, socket, handled, refused, send, release: () => release() }
  }
  return { connect, shares }
}

describe('what waits', () => {
  test('of one connection is bounded: its socket is not read while more does', async () => {
    const { connect } = openAccount(8 * KB * KB)
    const client = connect()
    client.send('x'.repeat(40))
    await until(() => client.handled.length === 1)
    client.send('y'.repeat(300 * KB))
    expect(client.socket.isPaused).toBe(true)
    client.release()
    await until(() => client.handled.length === 2)
    client.release()
    await until(() => !client.socket.isPaused)
  })

  test('of all connections of an account is bounded: none of its sockets is read while more does', async () => {
    const { connect } = openAccount(100 * KB)
    const clients = [connect(), connect(), connect()]
    const [first, second] = clients
    for (const client of [first, second]) {
      client?.send('x'.repeat(40))
      await until(() => client?.handled.length === 1)
    }
    first?.send('y'.repeat(60 * KB))
    expect(clients.map(({ socket }) => socket.isPaused)).toEqual([false, false, false])
    second?.send('z'.repeat(60 * KB))
    expect(clients.map(({ socket }) => socket.isPaused)).toEqual([true, true, true])
    // What a connection has left behind does not count.
    second?.inbox.close()
    expect(clients.map(({ socket }) => socket.isPaused)).toEqual([false, true, false])
    first?.release()
    await until(() => first?.handled.length === 2)
  })
})

test('connections of an account that is held back are read one after the other', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  let nowMs = 0
  const { connect, shares } = openAccount(8 * KB * KB, () => nowMs)
  const clients = [connect(), connect(), connect()]
  const isPaused = () => clients.map(({ socket }) => socket.isPaused)
  const workOfOthers = () => shares.charge({ accountId: 'other', plan: DEFAULT_PLANS.free }, 1)
  workOfOthers()
  const [first, second, third] = clients.map(({ inbox }) => inbox)
  first?.countReceived(4 * KB * KB)
  expect(isPaused()).toEqual([false, false, false])
  first?.countReceived(4 * KB * KB)
  second?.countReceived(64 * KB)
  // Pings and short messages are read, whatever the account has spent.
  third?.countReceived(100)
  expect(isPaused()).toEqual([true, true, false])
  vi.advanceTimersByTime(1_000)
  expect(isPaused()).toEqual([true, true, false])
  // Its allowance is refilled.
  nowMs = 1_000
  workOfOthers()
  vi.advanceTimersByTime(10)
  expect(isPaused()).toEqual([false, true, false])
  vi.advanceTimersByTime(10)
  expect(isPaused()).toEqual([false, false, false])
  expect(vi.getTimerCount()).toBe(0)
})

test('a message with too many items is refused before it is parsed, and the next one is taken', async () => {
  const { connect } = openAccount(8 * KB * KB)
  const client = connect(100)
  client.send(`[${'1,'.repeat(100)}1]`)
  client.send(JSON.stringify({ text: ','.repeat(500), list: Array(50).fill('[{,') }))
  await until(() => client.handled.length === 1)
  expect(client.refused).toEqual([{ code: 'input_too_large', max: 100 }])
})

test.each<[string, string, number]>([
  ['numbers', '[1,2,3]', 3],
  ['texts with commas, quotes and backslashes', JSON.stringify([',,"[{', '\\', '\\",', 'x']), 4],
  ['objects', '{"a":{"b":{}},"c":1}', 4],
  ['nested lists', '[[[[]]]]', 4],
])('items of %s', (_what, text, items) => {
  const padded = Buffer.from(text + ' '.repeat(50))
  expect(hasMoreItems(padded, items)).toBe(false)
  expect(hasMoreItems(padded, items - 1)).toBe(true)
})

describe('an account over its share', () => {
  let t: TestApp
  let url: string
  beforeAll(async () => {
    t = await createTestApp()
    url = await listenSockets(t.app)
  })
  afterAll(() => t.close())

  /** Its connection, with work before it that takes it longer than a message may wait. */
  async function connectBusy(path: string) {
    const { key, accountId } = await t.createCaller('free')
    const client = await SocketClient.open(`${url}${path}?key=${key}`)
    onTestFinished(() => client.socket.terminate())
    const { shares } = t.ctx
    const plan = DEFAULT_PLANS.free
    const others = setInterval(() => shares.charge({ accountId: 'other', plan }, 0), 10)
    onTestFinished(() => clearInterval(others))
    shares.charge({ accountId: 'other', plan }, 0)
    shares.charge({ accountId, plan }, 1_000)
    void shares.admit({ accountId, plan }, 500)
    const stopOthers = async () => {
      clearInterval(others)
      await until(() => !shares.isHeldBack({ accountId, plan }))
    }
    return { client, stopOthers }
  }

  test.each([
    ['/ws', 'code'],
    ['/ws/orderbook', 'error'],
  ])('%s: gets a refusal while others work, and an answer when they stop', async (path, name) => {
    const { client, stopOthers } = await connectBusy(path)
    const message = { action: 'subscribe', type: 'orderbook', markets: ['no-such-slug'] }
    client.send(message)
    expect(await client.next()).toMatchObject({
      [name]: 'work_limit',
      message: expect.stringContaining('100 units a second'),
      retry_after_ms: expect.any(Number),
    })
    // Pings and the end of everything are always taken.
    client.send({ action: 'ping' })
    expect(await client.next()).toMatchObject({ type: 'pong' })
    client.send({ action: 'unsubscribe' })
    expect(await client.next()).toMatchObject({ type: 'unsubscribed' })
    await stopOthers()
    client.send(message)
    expect(await client.next()).toMatchObject({ [name]: 'service_warming_up' })
  })
})
