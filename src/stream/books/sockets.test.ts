import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClobHost } from '../../../sim/clob/host.js'
import { createClobSocketHost } from '../../../sim/clob/socket-host.js'
import { Faults } from '../../../sim/server/faults.js'
import { type Host, openHost } from '../../../sim/server/host.js'
import { listenSockets, SocketClient } from '../../../test/socket-client.js'
import { StrictBookClient } from '../../../test/strict-client/book-client.js'
import { createTestApp, type TestApp } from '../../../test/test-app.js'
import { until } from '../../../test/until.js'
import { createExchange, type Exchange } from '../../books/test-exchange.js'
import { loadConfig } from '../../config/config.js'

const SECOND_MS = 50

let exchange: Exchange
let hosts: Host[]
let app: TestApp
let url: string
let key: string
let driver: NodeJS.Timeout
beforeAll(async () => {
  exchange = createExchange()
  const { universe } = exchange
  const faults = new Faults()
  const socketHost = await openHost('clob_ws', faults, createClobSocketHost(universe))
  const httpHost = await openHost('clob', faults, createClobHost(universe))
  hosts = [socketHost, httpHost]
  const { config } = loadConfig({
    AUSPEX_CLOB_URL: httpHost.url,
    AUSPEX_CLOB_WS_URL: `${socketHost.wsUrl}/ws/market`,
  })
  app = await createTestApp({ config })
  url = await listenSockets(app.app)
  key = (await app.createCaller('growth')).key
  driver = setInterval(() => universe.advance(universe.nowMs + 1_000), SECOND_MS)
})
afterAll(async () => {
  clearInterval(driver)
  app.ctx.books.close()
  await app.ctx.upstreams.close()
  await app.close()
  for (const host of hosts) await host.close()
})

const untilType = (client: SocketClient, wanted: string) => client.next(({ type }) => type === wanted)

test.each([
  ['/ws/orderbook', 'markets'],
  ['/ws', 'token_ids'],
])('%s: books come compressed, and answers as text', async (path, list) => {
  const client = await SocketClient.open(`${url}${path}?key=${key}&compress=zlib`)
  client.send({ action: 'subscribe', type: 'orderbook', [list]: exchange.tokenIds })
  await untilType(client, 'batch')
  const kinds = client.messages.map(({ type }, index) => [type, client.binary[index]])
  expect(kinds.slice(0, 3)).toEqual([
    ['subscribed', false],
    ['snapshot_batch', true],
    ['snapshots_done', false],
  ])
  expect(kinds.at(-1)).toEqual(['batch', true])
  client.send({ action: 'unsubscribe' })
  await untilType(client, 'unsubscribed')
  client.send({ action: 'subscribe', markets: ['no-such-slug'] })
  // The catalogue of this service is empty.
  const error = await client.next(({ error, code }) => (error ?? code) === 'service_warming_up')
  expect(error).toMatchObject({ message: expect.any(String), retry_after_ms: 1_000 })
  client.socket.close()
  await client.closed()
})

test('a strict client in integrity mode raises no notice', async () => {
  const notices: string[] = []
  const notify = (notice: string) => void notices.push(notice)
  const options = { url: `${url}/ws/orderbook?key=${key}`, isProven: true, notify }
  const client = new StrictBookClient(options)
  await client.connect()
  await client.subscribe(exchange.tokenIds)
  await until(() => client.counts.changes > 100)
  client.resync(exchange.tokenIds.slice(0, 3))
  await until(() => client.counts.resyncs === 1)
  await until(() => client.counts.changes > 200)
  await client.close()
  expect(notices).toEqual([])
})
