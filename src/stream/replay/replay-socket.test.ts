import { once } from 'node:events'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { listenSockets, type Received, SocketClient } from '../../../test/socket-client.js'
import { createTestApp, type TestApp } from '../../../test/test-app.js'
import { until } from '../../../test/until.js'
import type { PlanId } from '../../accounts/plans.js'
import { recordTrades } from '../../replay/test-record.js'
import { RecordingConnection } from '../test-connection.js'
import { ReplayProtocol, ReplayReads } from './replay-protocol.js'

const SECONDS = 600

let t: TestApp
let url: string
let startMs: number
/** A trade each second for ten minutes. */
beforeAll(async () => {
  t = await createTestApp({ routes: [] })
  url = await listenSockets(t.app)
  startMs = await recordTrades(t, SECONDS)
})
afterAll(() => t.close())

const rangeOf = (fromSec = 0, toSec = SECONDS) =>
  `from=${startMs + fromSec * 1_000}&to=${startMs + toSec * 1_000}`

async function connect(query: string, plan: PlanId = 'enterprise', key?: string) {
  const secret = key ?? (await t.createCaller(plan)).key
  const client = await SocketClient.open(`${url}/ws/replay?key=${secret}&${query}`)
  onTestFinished(() => client.socket.terminate())
  return client
}

const subscribe = (client: SocketClient) => client.send({ action: 'subscribe', type: 'trades' })
const isType =
  (type: string) =>
  (message: Received): boolean =>
    message.type === type
const secondsOf = ({ messages }: SocketClient) =>
  messages.filter(isType('trade')).map(({ data }) => (data as { second: number }).second)
const secondsFrom = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index)

test('a range is sent from its first to its last event, and ends with counts', async () => {
  const client = await connect(`${rangeOf(100, 250)}&speed=max`)
  subscribe(client)
  expect(await client.closed()).toEqual({ code: 1000, reason: 'the replay has ended' })
  expect(secondsOf(client)).toEqual(secondsFrom(100, 250))
  expect(client.messages.find(isType('replay_state'))).toEqual({
    type: 'replay_state',
    state: 'playing',
    at: startMs + 100_000,
    recorded_from: startMs,
  })
  expect(client.messages.at(-1)).toEqual({
    type: 'replay_end',
    from: startMs + 100_000,
    to: startMs + 250_000,
    events: 150,
    by_type: { trade: 150 },
  })
})

test('pause, resume and seek are answered with the time of the replay', async () => {
  const client = await connect(`${rangeOf()}&speed=100&paused=1`)
  subscribe(client)
  expect(await client.next(isType('replay_state'))).toMatchObject({ state: 'paused', at: startMs })
  client.send({ action: 'seek', to: startMs + 500_000 })
  expect(await client.next(isType('replay_state'))).toMatchObject({ state: 'paused', at: startMs + 500_000 })
  client.send({ action: 'resume' })
  await until(() => secondsOf(client).length > 3)
  client.send({ action: 'pause' })
  const { at } = await client.next(({ type, state }) => type === 'replay_state' && state === 'paused')
  const seen = secondsOf(client)
  expect(seen).toEqual(secondsFrom(500, 500 + seen.length))
  expect(startMs + (seen.at(-1) ?? 0) * 1_000).toBeLessThanOrEqual(Number(at))
  client.send({ action: 'seek', to: new Date(startMs + 10_000).toISOString() })
  client.send({ action: 'resume' })
  await until(() => secondsOf(client).length > seen.length)
  expect(secondsOf(client)[seen.length]).toBe(10)
})

test.each([
  ['before the first subscription', { action: 'pause' }, 'the replay begins with the first subscription'],
  ['that live sockets do not know either', { action: 'rewind' }, 'unknown action "rewind"'],
  ['for all books', { action: 'subscribe', type: 'orderbook', markets: ['*'] }, 'books by their names'],
])('an action %s is refused, and the connection stays', async (_what, message, text) => {
  const client = await connect(`${rangeOf()}&paused=1`)
  client.send(message)
  expect(await client.next(isType('error'))).toMatchObject({
    code: 'invalid_message',
    message: expect.stringContaining(text),
  })
  client.send({ action: 'ping' })
  expect(await client.next(isType('pong'))).toEqual({ type: 'pong', ts: startMs })
})

test.each([0, 20_000, 'soon'])('a seek out of the range is refused: %s', async (to) => {
  const client = await connect(`${rangeOf(10, 20)}&paused=1`)
  subscribe(client)
  await client.next(isType('replay_state'))
  client.send({ action: 'seek', to: typeof to === 'number' ? startMs + to : to })
  expect((await client.next(isType('error'))).message).toMatch(/^to must be a time/)
})

test.each([
  ['from', 'to=1700000000'],
  ['to', 'from=1700000000&to=1600000000'],
  ['to', 'from=1700000000&to=4000000000'],
  ['speed', 'from=1700000000&to=1700000001&speed=0'],
])('400: the field %s is named before there is a socket: %s', async (field, query) => {
  const socket = new WebSocket(`${url}/ws/replay?key=any&${query}`)
  const [, response] = await once(socket, 'unexpected-response')
  expect(response.statusCode).toBe(400)
  const [body] = await once(response, 'data')
  expect(JSON.parse(body)).toEqual({ error: expect.stringContaining(`\`${field}\``), field })
})

test('a replay that is longer than the plan allows is refused with the limit', async () => {
  t.clock.advance(7_200_000)
  const client = await connect(rangeOf(0, 3_601), 'free')
  expect(await client.next()).toMatchObject({ type: 'error', code: 'replay_limit', max: 1, requested: 2 })
  expect((await client.closed()).code).toBe(4429)
})

test('an account has as many replays at the same time as its plan grants, and live sockets beside them', async () => {
  const { key } = await t.createCaller('free')
  const first = await connect(`${rangeOf()}&paused=1`, 'free', key)
  subscribe(first)
  await first.next(isType('replay_state'))
  const second = await connect(rangeOf(), 'free', key)
  expect(await second.next()).toMatchObject({ code: 'connection_limit' })
  const live = await SocketClient.open(`${url}/ws?key=${key}`)
  onTestFinished(() => live.socket.terminate())
  live.send({ action: 'ping' })
  expect((await live.next()).type).toBe('pong')
  first.socket.close()
  await first.closed()
  const answer = async () => {
    const again = await connect(rangeOf(), 'free', key)
    subscribe(again)
    return (await again.next()).type
  }
  await expect.poll(answer).toBe('subscribed')
})

test('a process has a hundred replays at most, and live sockets beside them', async () => {
  const app = await createTestApp({ routes: [] })
  onTestFinished(() => app.close())
  const at = await listenSockets(app.app)
  const from = await recordTrades(app, 2)
  const query = `from=${from}&to=${from + 1_000}&paused=1`
  const open = async (path: string, key: string) => {
    const client = new SocketClient(`${at}${path}&key=${key}`)
    onTestFinished(() => client.socket.terminate())
    const answer = await Promise.race([
      once(client.socket, 'open').then(() => 101),
      once(client.socket, 'unexpected-response').then(([, { statusCode }]) => statusCode),
    ])
    return { client, answer }
  }
  const callers = await Promise.all(Array.from({ length: 11 }, () => app.createCaller('enterprise')))
  const { key = '' } = callers.at(-1) ?? {}
  // All at once: they count before they are admitted.
  const replays = await Promise.all(
    Array.from({ length: 105 }, (_, index) => open(`/ws/replay?${query}`, callers[index % 11]?.key ?? '')),
  )
  const answers = replays.map(({ answer }) => answer)
  expect([101, 503].map((status) => answers.filter((answer) => answer === status).length)).toEqual([100, 5])
  expect((await open(`/ws/replay?${query}`, key)).answer).toBe(503)
  expect((await open('/ws?', key)).answer).toBe(101)
  replays.find(({ answer }) => answer === 101)?.client.socket.close()
  await expect.poll(async () => (await open(`/ws/replay?${query}`, key)).answer).toBe(101)
})

test('a client that does not read holds its replay, and gets everything in the end', async () => {
  const connection = new RecordingConnection()
  let isRead = false
  connection.untilDrained = async () => {
    await until(() => isRead)
    return true
  }
  const range = {
    fromMs: startMs,
    toMs: startMs + SECONDS * 1_000,
    speed: Number.POSITIVE_INFINITY,
    isPaused: false,
  }
  const protocol = new ReplayProtocol(t.ctx, connection, {
    range,
    isBySubscription: false,
    reads: new ReplayReads(),
  })
  onTestFinished(() => protocol.onClose())
  await protocol.onMessage(JSON.stringify({ action: 'subscribe', type: 'trades' }))
  const trades = () => connection.messages.filter(({ type }) => type === 'trade')
  await until(() => trades().length > 0)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(trades().length).toBeLessThan(100)
  isRead = true
  await until(() => connection.closed !== undefined)
  expect(trades()).toHaveLength(SECONDS)
})
