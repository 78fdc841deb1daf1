import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import { ManualClock } from '../../../test/manual-clock.js'
import { openPeerServer } from '../../../test/peer-server.js'
import { until } from '../../../test/until.js'
import { createUpstreamMetrics } from '../transport/metrics.js'
import type { SocketTuning } from '../transport/socket-options.js'
import type { ScoreMessage } from './parse.js'
import { SportsSocket } from './socket.js'

const FAST = { timings: { backoff: { baseMs: 2, maxMs: 20 } } }

async function open(tuning: SocketTuning = {}, expectsScores = () => true) {
  const server = await openPeerServer()
  const received: string[] = []
  server.onPeer((peer) => peer.on('message', (data) => received.push(data.toString())))
  const scores: ScoreMessage[] = []
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const clock = new ManualClock()
  const socket = new SportsSocket({
    url: server.url,
    clock,
    metrics: createUpstreamMetrics(new Registry()),
    log: pino({ level: 'silent' }),
    tuning: { ...FAST, ...tuning },
    onScore: (score) => scores.push(score),
    expectsScores,
  })
  socket.start(controller.signal)
  await until(() => server.peers.length === 1)
  return { server, received, scores, socket, clock }
}

const frame = (score: string) => JSON.stringify({ gameId: 1, score })

test('no request is sent, each ping is answered, and scores come in order', async () => {
  const { server, received, scores } = await open()
  for (const text of ['ping', frame('1-0'), frame('2-0'), 'ping']) server.peers[0]?.send(text)
  await until(() => received.length === 2)
  expect(received).toEqual(['pong', 'pong'])
  expect(scores.map(({ score }) => score)).toEqual(['1-0', '2-0'])
})

test('a frame that cannot be read costs nothing else; a flood of them ends the connection', async () => {
  const { server, scores } = await open()
  for (const text of ['<html>', frame('1-0')]) server.peers[0]?.send(text)
  await until(() => scores.length === 1)
  expect(server.attempts).toHaveLength(1)
  for (let sent = 0; sent < 20; sent++) server.peers[0]?.send('{')
  await until(() => server.peers.length === 2)
})

test('a server that only pings is left while a game is live, and not while none is', async () => {
  let isLive = false
  const { server } = await open({ silentAfterMs: 20 }, () => isLive)
  const pinging = setInterval(() => server.peers.at(-1)?.send('ping'), 5)
  onTestFinished(() => clearInterval(pinging))
  const startedAt = performance.now()
  await until(() => performance.now() - startedAt > 60)
  expect(server.attempts).toHaveLength(1)
  isLive = true
  await until(() => server.attempts.length > 1)
})

test('it says since when it is closed', async () => {
  const { server, socket, clock } = await open()
  await until(() => socket.status.state === 'open')
  expect(socket.status.closedAtMs).toBeUndefined()
  const lostMs = clock.now()
  server.onPeer((peer) => peer.terminate())
  server.peers[0]?.terminate()
  await until(() => server.peers.length >= 2)
  clock.advance(5_000)
  await until(() => socket.status.state === 'waiting')
  expect(socket.status.closedAtMs).toBeGreaterThanOrEqual(lostMs)
})
