import { pino } from 'pino'
import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { openPeerServer } from '../../../test/peer-server.js'
import { until } from '../../../test/until.js'
import { openTestSocket } from '../../../test/upstream-socket.js'
import { createUpstreamMetrics } from './metrics.js'
import type { SocketGap } from './socket-options.js'

describe('a connection', () => {
  test('hands over text in order, ignores frames without a message, and counts both', async () => {
    const server = await openPeerServer()
    const { socket, messages, metric } = openTestSocket(server.url)
    await until(() => server.peers.length === 1)
    for (const text of ['a', 'PONG', 'b']) server.peers[0]?.send(text)
    await until(() => messages.length === 2)

    expect(messages).toEqual(['a', 'b'])
    expect(socket.status).toEqual({ state: 'open', openedMs: 1_000_000, lastDataMs: 1_000_000 })
    expect(await metric('auspex_upstream_frames_total', { result: 'ok' })).toBe(2)
    expect(await metric('auspex_upstream_frames_total', { result: 'ignored' })).toBe(1)
    expect(await metric('auspex_upstream_socket_connected')).toBe(1)
    expect(await metric('auspex_upstream_socket_connected_timestamp_seconds')).toBe(1_000)
  })

  test('its health has connections that were opened, and why the last one ended', async () => {
    const server = await openPeerServer()
    const metrics = createUpstreamMetrics(new Registry())
    openTestSocket(server.url, { metrics })
    await until(() => server.peers.length === 1)
    server.peers[0]?.close(1011)
    await until(() => metrics.health.of('test').successes === 2)
    expect(metrics.health.of('test')).toMatchObject({
      faults: 1,
      lastFault: { message: 'closed: close code 1011', atMs: 1_000_000 },
    })
  })

  test('waits until the upstream is open', async () => {
    const server = await openPeerServer()
    let open = (): void => undefined
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const { socket } = openTestSocket(server.url, { opened })
    const { socket: closed } = openTestSocket(server.url, { opened })
    closed.close()
    expect(socket.status.state).toBe('connecting')
    expect(server.attempts).toHaveLength(0)
    open()
    await until(() => socket.status.state === 'open')
    expect(server.attempts).toHaveLength(1)
    expect(closed.status.state).toBe('closed')
  })

  test('sends the headers of the moment', async () => {
    const server = await openPeerServer()
    let signed = 0
    openTestSocket(server.url, { headers: () => ({ 'x-signature': `s${++signed}` }) })
    await until(() => server.peers.length === 1)
    server.peers[0]?.terminate()
    await until(() => server.peers.length === 2)
    expect(server.attempts.map(({ headers }) => headers['x-signature'])).toEqual(['s1', 's2'])
  })

  test.each([
    ['text', { everyMs: 2, text: 'PING' }, 'message'],
    ['WebSocket ping', { everyMs: 2 }, 'ping'],
  ] as const)('heartbeat: %s', async (_name, heartbeat, event) => {
    const server = await openPeerServer()
    openTestSocket(server.url, { heartbeat })
    await until(() => server.peers.length === 1)
    const beats: string[] = []
    server.peers[0]?.on(event, (data: Buffer) => beats.push(data.toString()))
    await until(() => beats.length >= 3)
    expect(beats[0]).toBe('text' in heartbeat ? 'PING' : '')
  })

  test('pongs keep a quiet peer alive', async () => {
    const server = await openPeerServer()
    let pongs = 0
    openTestSocket(server.url, { heartbeat: { everyMs: 2 }, deadAfterMs: 400 })
    await until(() => server.peers.length === 1)
    server.peers[0]?.on('ping', () => pongs++)
    await until(() => pongs > 300)
    expect(server.attempts).toHaveLength(1)
  })

  test('a callback that throws or rejects does not end the socket', async () => {
    const server = await openPeerServer()
    const seen: string[] = []
    const { socket } = openTestSocket(server.url, {
      onOpen: () => {
        throw new Error('onOpen')
      },
      onMessage: (message) => {
        seen.push(message)
        if (message === 'a') throw new Error('onMessage')
        if (message === 'b') return Promise.reject(new Error('onMessage'))
        return undefined
      },
      onGap: () => Promise.reject(new Error('onGap')),
    })
    await until(() => server.peers.length === 1)
    for (const text of ['a', 'b', '?', 'c']) server.peers[0]?.send(text)
    await until(() => seen.length === 3)
    expect(socket.status.state).toBe('open')
  })
})

test('what a callback returns is ignored, unless it is a promise', async () => {
  const server = await openPeerServer()
  const lines: string[] = []
  const onGap: (gap: SocketGap) => void = () => 5
  const { messages } = openTestSocket(server.url, {
    onGap: (gap) => onGap(gap),
    log: pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }),
  })
  await until(() => server.peers.length === 1)
  for (const text of ['a', '?', 'b']) server.peers[0]?.send(text)
  await until(() => messages.length === 2)
  expect(lines).toEqual([])
})

describe('an interruption', () => {
  test('is one gap, from the last data to the next, however many attempts it takes', async () => {
    const server = await openPeerServer((attempt) =>
      attempt > 1 && attempt < 5 ? { status: 500 } : undefined,
    )
    const { clock, gaps, log, messages, metric } = openTestSocket(server.url)
    await until(() => server.peers.length === 1)
    server.peers[0]?.send('a')
    await until(() => messages.length === 1)
    clock.advance(10)
    server.peers[0]?.close(4003)
    await until(() => server.peers.length === 2)
    clock.advance(20)
    for (const text of ['b', 'c']) server.peers[1]?.send(text)
    await until(() => messages.length === 3)

    expect(gaps).toEqual([{ fromMs: 1_000_000, toMs: 1_000_030, reason: 'closed' }])
    expect(log).toEqual(['open', 'a', 'open', 'gap', 'b', 'c'])
    expect(await metric('auspex_upstream_gaps_total')).toBe(1)
    expect(await metric('auspex_upstream_socket_reconnects_total', { reason: 'closed' })).toBe(1)
    expect(await metric('auspex_upstream_socket_reconnects_total', { reason: 'refused' })).toBe(3)
  })

  test('is never a gap that runs backwards, although the clock was set back', async () => {
    const server = await openPeerServer()
    const { clock, gaps, messages } = openTestSocket(server.url)
    await until(() => server.peers.length === 1)
    server.peers[0]?.send('a')
    await until(() => messages.length === 1)
    server.peers[0]?.terminate()
    await until(() => server.peers.length === 2)
    clock.advance(-5_000)
    server.peers[1]?.send('b')
    await until(() => messages.length === 2)
    expect(gaps).toEqual([{ fromMs: 1_000_000, toMs: 1_000_000, reason: 'lost' }])
  })

  test('before the first opening there is nothing to miss', async () => {
    const server = await openPeerServer((attempt) => (attempt < 3 ? { status: 500 } : undefined))
    const { gaps, messages } = openTestSocket(server.url)
    await until(() => server.peers.length === 1)
    server.peers[0]?.send('a')
    await until(() => messages.length === 1)
    expect(gaps).toEqual([])
  })

  test('answers that are no data do not end a gap', async () => {
    const server = await openPeerServer()
    const { gaps, messages } = openTestSocket(server.url, {
      isData: (message) => message !== 'ack',
    })
    await until(() => server.peers.length === 1)
    server.peers[0]?.terminate()
    await until(() => server.peers.length === 2)
    server.peers[1]?.send('ack')
    await until(() => messages.length === 1)
    expect(gaps).toEqual([])
    server.peers[1]?.send('a')
    await until(() => messages.length === 2)
    expect(gaps).toMatchObject([{ reason: 'lost' }])
  })

  test.each([
    ['closed', (peer: WebSocket) => peer.close(1013), {}],
    ['lost', (peer: WebSocket) => peer.terminate(), {}],
    ['lost', (peer: WebSocket) => peer.send('x'.repeat(101)), { limits: { frameBytesMax: 100 } }],
    ['dead', (peer: WebSocket) => peer.pause(), { heartbeat: { everyMs: 5 }, deadAfterMs: 40 }],
    ['silent', (peer: WebSocket) => peer.on('message', () => peer.send('PONG')), { silentAfterMs: 40 }],
    ['garbage', (peer: WebSocket) => peer.send('?'), { limits: { garbageMax: 1 } }],
    ['garbage', (peer: WebSocket) => peer.send(Buffer.from('a')), { limits: { garbageMax: 1 } }],
  ] as const)('%s: it is opened again and says why', async (reason, fault, changes) => {
    const server = await openPeerServer()
    const { gaps, metric } = openTestSocket(server.url, changes)
    await until(() => server.peers.length === 1)
    const [peer] = server.peers
    if (peer !== undefined) fault(peer)
    await until(() => server.peers.length >= 2)
    expect(await metric('auspex_upstream_socket_reconnects_total', { reason })).toBeGreaterThan(0)
    server.peers.at(-1)?.send('a')
    await until(() => gaps.length > 0)
    expect(gaps[0]?.reason).toBe(reason)
  })

  test('silence is right while no data are expected', async () => {
    const server = await openPeerServer()
    let checks = 0
    openTestSocket(server.url, {
      silentAfterMs: 5,
      expectsData: () => {
        checks += 1
        return false
      },
    })
    await until(() => checks >= 3)
    expect(server.attempts).toHaveLength(1)
  })

  test('single bad frames make a gap and keep the connection', async () => {
    const server = await openPeerServer()
    const { gaps, messages, log, metric } = openTestSocket(server.url, {
      limits: { garbageMax: 3 },
    })
    await until(() => server.peers.length === 1)
    for (const text of ['a', '?', '?', 'b', '?', '?', 'c']) server.peers[0]?.send(text)
    await until(() => messages.length === 3)
    expect(log).toEqual(['open', 'a', 'gap', 'b', 'gap', 'c'])
    expect(gaps.map(({ reason }) => reason)).toEqual(['garbage', 'garbage'])
    expect(server.attempts).toHaveLength(1)
    expect(await metric('auspex_upstream_frames_total', { result: 'garbage' })).toBe(4)
  })

  test('the connector may reject a connection', async () => {
    const server = await openPeerServer()
    const { socket, metric } = openTestSocket(server.url)
    await until(() => server.peers.length === 1)
    socket.reject('no')
    await until(() => server.peers.length === 2)
    expect(await metric('auspex_upstream_socket_reconnects_total', { reason: 'rejected' })).toBe(1)
  })
})

describe('a reader that takes its time', () => {
  test('gets the messages one by one, in order', async () => {
    const server = await openPeerServer()
    const seen: string[] = []
    let finish: (() => void) | undefined
    openTestSocket(server.url, {
      onMessage: (message) => {
        seen.push(message)
        return new Promise<void>((resolve) => {
          finish = resolve
        })
      },
    })
    await until(() => server.peers.length === 1)
    for (const text of ['a', 'b', 'c']) server.peers[0]?.send(text)
    for (const count of [1, 2, 3]) {
      await until(() => seen.length === count)
      finish?.()
    }
    expect(seen).toEqual(['a', 'b', 'c'])
  })

  test('over the bound the connection is dropped, what waits is delivered, then the gap', async () => {
    const server = await openPeerServer()
    let finish = () => {}
    const blocked = new Promise<void>((resolve) => {
      finish = resolve
    })
    const seen: string[] = []
    const { metric } = openTestSocket(server.url, {
      limits: { inboxBytesMax: 3 },
      onMessage: (message) => {
        seen.push(message)
        return message === 'a' ? blocked : undefined
      },
      onGap: ({ reason }) => void seen.push(`gap ${reason}`),
    })
    await until(() => server.peers.length === 1)
    for (const text of ['a', 'b', 'c', 'd', 'e']) server.peers[0]?.send(text)
    await until(() => server.peers.length === 2)
    finish()
    server.peers[1]?.send('f')
    await until(() => seen.includes('f'))
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'gap overrun', 'f'])
    expect(await metric('auspex_upstream_frames_total', { result: 'dropped' })).toBe(1)
  })
})

describe('what we send', () => {
  test('goes out while the connection is open, and only then', async () => {
    const server = await openPeerServer()
    const { socket } = openTestSocket(server.url, { heartbeat: { everyMs: 10_000 } })
    expect(socket.send('too early')).toBe(false)
    await until(() => server.peers.length === 1 && socket.status.state === 'open')
    const got: string[] = []
    server.peers[0]?.on('message', (data) => got.push(data.toString()))
    expect(socket.send('hello')).toBe(true)
    await until(() => got.length === 1)
    expect(got).toEqual(['hello'])
  })

  test('more than the bound drops the connection', async () => {
    const server = await openPeerServer()
    const { socket, metric } = openTestSocket(server.url, { limits: { outboxBytesMax: 10 } })
    await until(() => socket.status.state === 'open')
    expect(socket.send('x'.repeat(11))).toBe(false)
    await until(() => server.peers.length === 2)
    expect(await metric('auspex_upstream_socket_reconnects_total', { reason: 'overrun' })).toBe(1)
  })
})
