import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listenSockets, SocketClient } from '../../test/socket-client.js'
import { createTestApp, type TestApp } from '../../test/test-app.js'

let t: TestApp
let url: string
let key: string
beforeAll(async () => {
  t = await createTestApp()
  url = await listenSockets(t.app)
  key = (await t.createCaller('growth')).key
})
afterAll(() => t.close())

describe('connecting', () => {
  test.each(['/ws', '/ws/', '/ws/orderbook', '/ws/orderbook/'])('%s with a key', async (path) => {
    const client = await SocketClient.open(`${url}${path}?key=${key}`)
    client.send({ action: 'ping' })
    expect(await client.next()).toMatchObject({ type: 'pong' })
    client.socket.close()
    expect((await client.closed()).code).toBe(1005)
  })
})
