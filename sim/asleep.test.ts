import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { openSimulator } from './simulator.js'
import { Universe } from './universe/universe.js'

const START_MS = Date.UTC(2026, 10, 14, 12)

test('of a universe without a present only the chain can be read', async () => {
  const universe = new Universe({ seed: 3, startMs: START_MS })
  universe.advance(START_MS + 10_000)
  const { upstreams, awake, close } = await openSimulator(universe, true)
  onTestFinished(close)
  const head = async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
    const answer = await fetch(upstreams.polygon_http, { method: 'POST', body })
    return Number(((await answer.json()) as { result: string }).result)
  }
  const before = await head()
  const socket = new WebSocket(upstreams.polygon_ws)
  socket.on('error', () => undefined)
  onTestFinished(() => socket.terminate())
  universe.advance(START_MS + 60_000)
  expect(await head()).toBeGreaterThan(before)
  expect((await fetch(`${upstreams.gamma}/events`)).status).toBe(503)
  expect(socket.readyState).toBe(WebSocket.CONNECTING)

  const opened = once(socket, 'open')
  awake()
  await opened
  expect((await fetch(`${upstreams.gamma}/events`)).status).toBe(200)
})
