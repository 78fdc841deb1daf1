import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openPeerServer, type Refusal } from '../../../test/peer-server.js'
import { until } from '../../../test/until.js'
import { FAST, openTestSocket } from '../../../test/upstream-socket.js'
import { createLog } from '../../lib/log.js'

describe('attempts', () => {
  test('a handshake that is never answered is given up', async () => {
    const server = await openPeerServer(() => 'ignore')
    const { metric } = openTestSocket(server.url, { timings: { ...FAST, handshakeMs: 10 } })
    await until(() => server.attempts.length >= 3)
    expect(await metric('auspex_upstream_socket_connected')).toBe(0)
  })

  test('an invalid address, or one where no host listens, is tried again', async () => {
    const server = await openPeerServer()
    for (const url of ['http://[', 'ws://127.0.0.1:1']) {
      const { metric } = openTestSocket(url)
      const reason = 'unreachable'
      await vi.waitFor(async () =>
        expect(await metric('auspex_upstream_socket_reconnects_total', { reason })).toBeGreaterThan(2),
      )
    }
    expect(server.attempts).toHaveLength(0)
  })

  test.each([429, 503])('%i with Retry-After: the server is left alone that long', async (status) => {
    const headers = { 'Retry-After': '0.25' }
    const server = await openPeerServer((attempt) => (attempt === 1 ? { status, headers } : undefined))
    const startedAt = performance.now()
    openTestSocket(server.url)
    await until(() => server.peers.length === 1)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(245)
  })

  test('a close code may ask for a longer wait', async () => {
    const server = await openPeerServer()
    openTestSocket(server.url, { closeWaitMs: (code) => (code === 4001 ? 250 : 0) })
    await until(() => server.peers.length === 1)
    const closedAt = performance.now()
    server.peers[0]?.close(4001)
    await until(() => server.peers.length === 2)
    expect(performance.now() - closedAt).toBeGreaterThanOrEqual(245)
  })

  test('an outage is one line when it begins, and one with the number of ends when it is over', async () => {
    const server = await openPeerServer((attempt) => (attempt < 4 ? { status: 503 } : undefined))
    const lines: { level: string; msg: string; ends?: number }[] = []
    const log = createLog('info', { write: (line) => lines.push(JSON.parse(line)) })
    openTestSocket(server.url, { log, timings: { ...FAST, stableMs: 20 } })
    await until(() => lines.some(({ msg }) => msg === 'upstream socket works again'))
    expect(lines).toMatchObject([
      { level: 'warn', msg: 'upstream socket ended' },
      { level: 'info', msg: 'upstream socket works again', ends: 3 },
    ])
  })

  test('a flapping server sees fewer and fewer attempts', async () => {
    // Every wait is the longest one that it may be.
    const random = vi.spyOn(Math, 'random').mockReturnValue(1 - Number.EPSILON)
    onTestFinished(() => random.mockRestore())
    const server = await openPeerServer()
    const times: number[] = []
    openTestSocket(server.url, {
      onOpen: () => {
        times.push(performance.now())
        server.peers.at(-1)?.terminate()
      },
      timings: { ...FAST, backoff: { baseMs: 4, maxMs: 64 } },
    })
    await until(() => times.length >= 6)
    // Waits of 4, 8, 16, 32 and 64 ms lie between six openings.
    expect((times[5] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(120)
  })

  test('a connection that lived long enough starts over with the shortest wait', async () => {
    const server = await openPeerServer()
    const times: number[] = []
    openTestSocket(server.url, {
      onOpen: () => {
        times.push(performance.now())
        server.peers.at(-1)?.terminate()
      },
      timings: { handshakeMs: 2_000, stableMs: 0, backoff: { baseMs: 1, maxMs: 60_000 } },
    })
    // Without the reset the fifteenth opening would come after 16 s.
    await until(() => times.length >= 15)
  })
})

describe('closing', () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

  test.each<[string, Refusal | 'ignore' | undefined]>([
    ['connecting', 'ignore'],
    ['open', undefined],
    ['waiting', { status: 503, headers: { 'Retry-After': '20' } }],
  ])('while %s: leaves no timer and no connection', async (state, refusal) => {
    const server = await openPeerServer(() => refusal)
    const before = timers()
    const { socket, controller, metric } = openTestSocket(server.url, { silentAfterMs: 5_000 })
    await until(() => socket.status.state === state && server.attempts.length === 1)
    controller.abort()
    controller.abort()
    expect(socket.status.state).toBe('closed')
    expect(await metric('auspex_upstream_socket_connected')).toBe(0)
    await until(() => [...server.connections].every(({ destroyed }) => destroyed))
    await until(() => timers() <= before)
  })

  test('what still waits is not handed over', async () => {
    const server = await openPeerServer()
    let finish = () => {}
    const seen: string[] = []
    const { socket } = openTestSocket(server.url, {
      onMessage: (message) => {
        seen.push(message)
        return new Promise<void>((resolve) => {
          finish = resolve
        })
      },
    })
    await until(() => server.peers.length === 1)
    for (const text of ['a', 'b']) server.peers[0]?.send(text)
    await until(() => seen.length === 1)
    socket.close()
    finish()
    await until(() => server.peers[0]?.readyState === 3)
    expect(seen).toEqual(['a'])
  })

  test('a signal that is aborted already opens nothing', async () => {
    const server = await openPeerServer()
    const { socket } = openTestSocket(server.url, { timings: FAST })
    socket.close()
    socket.start(AbortSignal.abort())
    expect(socket.status.state).toBe('closed')
  })
})
