import { pino } from 'pino'
import { Registry } from 'prom-client'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { WebSocket } from 'ws'
import { ManualClock } from '../../../test/manual-clock.js'
import { openPeerServer } from '../../../test/peer-server.js'
import { until } from '../../../test/until.js'
import { createUpstreamMetrics } from '../transport/metrics.js'
import { type PolygonListener, PolygonSocket } from './socket.js'

const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`

const head = (number: number) => ({
  jsonrpc: '2.0',
  method: 'eth_subscription',
  params: {
    subscription: '0xheads',
    result: {
      number: `0x${number.toString(16)}`,
      hash: hashOf(number),
      parentHash: hashOf(number - 1),
      timestamp: '0x1',
    },
  },
})

const SUBSCRIPTIONS: Record<string, string> = { newHeads: '0xheads' }

/** A node whose connections confirm what `confirms` returns, and send nothing else by themselves. */
async function follow(listener: PolygonListener, confirms = (_connection: number) => true) {
  const server = await openPeerServer()
  const requests: string[][] = []
  const lines: string[] = []
  server.onPeer((peer) => {
    const mine: string[] = []
    requests.push(mine)
    peer.on('message', (data) => {
      const { id, params } = JSON.parse(data.toString())
      mine.push(params[0])
      if (!confirms(requests.length)) return
      peer.send(JSON.stringify({ jsonrpc: '2.0', id, result: SUBSCRIPTIONS[params[0]] }))
    })
  })
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const socket = new PolygonSocket(
    {
      url: `${server.url}/v2/0123456789abcdef`,
      clock: new ManualClock(),
      metrics: createUpstreamMetrics(new Registry()),
      log: pino({ base: null }, { write: (line: string) => void lines.push(line) }),
      timings: { handshakeMs: 2_000, stableMs: 60_000, backoff: { baseMs: 2, maxMs: 20 } },
    },
    listener,
  )
  socket.start(controller.signal)
  const send = (connection: number, ...frames: object[]) => {
    const peer: WebSocket | undefined = server.peers[connection]
    for (const frame of frames) peer?.send(JSON.stringify(frame))
  }
  await until(() => (requests[0]?.length ?? 0) >= 1)
  return { server, requests, lines, send, socket }
}

describe('a busy reader', () => {
  test('gets the heads of a connection that is gone without harm to the next one', async () => {
    const numbers: number[] = []
    let finish = () => {}
    const listener: PolygonListener = {
      onHead: ({ number }) => {
        numbers.push(number)
        if (number > 1) return undefined
        return new Promise((resolve) => {
          finish = resolve
        })
      },
      onGap: () => undefined,
    }
    const { server, requests, send } = await follow(listener, (connection) => connection === 1)
    send(0, head(1), head(2), head(3))
    await until(() => numbers.length === 1)
    server.peers[0]?.close(1001)
    await until(() => requests[1]?.length === 1)
    finish()
    await until(() => numbers.length === 3)
    expect(server.attempts).toHaveLength(2)
    expect(server.peers[1]?.readyState).toBe(1)
  })

  test('is done with a gap before it gets the head after it, and gets it in any case', async () => {
    const seen: string[] = []
    let fail = (_error: Error) => {}
    const { send } = await follow({
      onHead: ({ number }) => void seen.push(`head ${number}`),
      onGap: ({ fromBlock, toBlock }) => {
        seen.push(`gap ${fromBlock}-${toBlock}`)
        return new Promise((_resolve, reject) => {
          fail = reject
        })
      },
    })
    send(0, head(1), head(4), head(5))
    await until(() => seen.length === 2)
    expect(seen).toEqual(['head 1', 'gap 2-3'])
    fail(new Error('not read'))
    await until(() => seen.length === 4)
    expect(seen.slice(2)).toEqual(['head 4', 'head 5'])
  })
})

test.each([
  ['heads', 1],
  ['pending transactions', 2],
])('a node that repeats its key when it refuses %s gives nothing away', async (_what, id) => {
  const nothing = () => undefined
  const { send, lines } = await follow({
    onHead: nothing,
    onPending: nothing,
    onGap: nothing,
  })
  const message = 'key 0123456789abcdef may not subscribe'
  send(0, { jsonrpc: '2.0', id, error: { code: -32_000, message } })
  await until(() => lines.some((line) => line.includes('may not subscribe')))
  expect(lines.join('')).not.toContain('0123456789abcdef')
})
