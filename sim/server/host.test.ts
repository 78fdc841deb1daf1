import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { FaultOrder } from './fault-order.js'
import { Faults } from './faults.js'
import type { HostParts, Peer } from './handlers.js'
import { type Host, openHost } from './host.js'

let faults: Faults
let host: Host
let answered: number
let peers: Peer[]

const parts: HostParts = {
  http(request) {
    answered += 1
    if (request.path === '/broken') throw new Error('boom')
    if (request.path === '/text') {
      return { status: 201, body: 'plain', headers: { 'content-type': 'text/plain' } }
    }
    const { method, path, url, body } = request
    return {
      status: 200,
      body: { answered, method, path, url, body, q: request.query.getAll('q') },
    }
  },
  refuse: ({ path }) => (path === '/refused' ? { status: 401, body: { error: 'who are you' } } : undefined),
  connect(peer) {
    peers.push(peer)
    peer.onText((text) => {
      if (text === 'throw') throw new Error('boom')
      peer.send(text === 'PING' ? 'PONG' : { echo: text })
    })
  },
}

beforeEach(async () => {
  answered = 0
  peers = []
  faults = new Faults()
  host = await openHost('gamma', faults, parts)
})
afterEach(() => host.close())

const get = (path = '/', init?: RequestInit) => fetch(`${host.url}${path}`, init)
const turnOn = (mode: FaultOrder['mode'], rest: Partial<FaultOrder> = {}) =>
  faults.set({ upstream: 'gamma', mode, ...rest })

/** A client that keeps every frame; `frames(n)` waits until there are n. */
async function dial(path = '/') {
  const socket = new WebSocket(`${host.wsUrl}${path}`)
  const seen: string[] = []
  socket.on('message', (data) => {
    seen.push(data.toString())
    socket.emit('seen')
  })
  await once(socket, 'open')
  const frames = async (count: number) => {
    while (seen.length < count) await once(socket, 'seen')
    return seen
  }
  return { socket, frames, send: (text: string) => socket.send(text) }
}

describe('HTTP', () => {
  test('a handler sees the decoded path, the query, the url as sent and the body', async () => {
    const reply = await get('/a%20b/c?q=1&q=x%3F%3D', { method: 'POST', body: 'hé' })
    expect(await reply.json()).toMatchObject({
      method: 'POST',
      path: '/a b/c',
      url: '/a%20b/c?q=1&q=x%3F%3D',
      body: 'hé',
      q: ['1', 'x?='],
    })
    expect(reply.headers.get('content-type')).toBe('application/json')
  })

  test('a string goes out as it is, with the headers of the handler', async () => {
    const reply = await get('/text')
    expect(reply.status).toBe(201)
    expect(reply.headers.get('content-type')).toBe('text/plain')
    expect(await reply.text()).toBe('plain')
  })

  test('HEAD is answered without a body', async () => {
    const reply = await get('/', { method: 'HEAD' })
    expect(Number(reply.headers.get('content-length'))).toBeGreaterThan(0)
    expect(await reply.text()).toBe('')
  })

  test.each([
    ['a handler that throws', 500, '/broken', {}],
    ['a path that is no text', 400, '/%ff', {}],
    ['a method that no host has', 405, '/', { method: 'PUT' }],
    ['a body that is too large', 413, '/', { method: 'POST', body: Buffer.alloc(9 * 1024 * 1024) }],
  ])('%s: %i', async (_what, status, path, init) => {
    const reply = await get(path, init)
    expect(reply.status).toBe(status)
    expect(await reply.json()).toEqual({ error: expect.any(String) })
  })

  test('close ends open connections at once', async () => {
    const { socket } = await dial()
    const idle = connect(Number(new URL(host.url).port), '127.0.0.1')
    await once(idle, 'connect')
    await Promise.all([once(socket, 'close'), once(idle, 'close'), host.close()])
    await expect(get()).rejects.toThrow()
  })
})

describe('WebSocket', () => {
  test('text in, text or JSON out', async () => {
    const { frames, send } = await dial()
    send('PING')
    send('hello')
    expect(await frames(2)).toEqual(['PONG', '{"echo":"hello"}'])
  })

  test('a handshake can be refused with a reply', async () => {
    const socket = new WebSocket(`${host.wsUrl}/refused`)
    const [error] = await once(socket, 'error')
    expect(String(error)).toContain('401')
  })

  test('a handler that throws closes the socket with 1011', async () => {
    const { socket, send } = await dial()
    send('throw')
    expect((await once(socket, 'close'))[0]).toBe(1011)
  })

  test('the handler is notified when the client leaves, and may send to it without harm', async () => {
    const { socket } = await dial()
    const closed = new Promise<void>((resolve) => peers[0]?.onClose(resolve))
    socket.terminate()
    await closed
    peers[0]?.send('late')
    expect(peers[0]?.bufferedBytes()).toBe(0)
  })
})

describe('faults of HTTP', () => {
  test('429 says when to come again', async () => {
    turnOn('429')
    const reply = await get()
    expect(reply.status).toBe(429)
    expect(reply.headers.get('retry-after')).toBe('2')
    expect(answered).toBe(0)
  })

  test('500, and normal again after off', async () => {
    turnOn('500')
    expect((await get()).status).toBe(500)
    turnOn('off')
    expect((await get()).status).toBe(200)
  })

  test('a fault of a path leaves other paths alone', async () => {
    turnOn('500', { path: '/events/keyset' })
    turnOn('garbage', { path: '/text' })
    expect((await get('/events/keyset?limit=1')).status).toBe(500)
    expect((await get('/events')).status).toBe(200)
    expect(await (await get('/text')).text()).toContain('502 Bad Gateway')
  })

  test('a rate hits a share of the requests', async () => {
    turnOn('500', { rate: 0.5 })
    const statuses: number[] = []
    for (let i = 0; i < 4; i += 1) statuses.push((await get()).status)
    expect(statuses).toEqual([200, 500, 200, 500])
  })

  test('slow answers come late', async () => {
    turnOn('slow', { delayMs: 60 })
    const startMs = performance.now()
    expect((await get()).status).toBe(200)
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(55)
  })

  test('garbage is not JSON', async () => {
    turnOn('garbage')
    await expect((await get()).json()).rejects.toThrow(SyntaxError)
  })

  test('truncated promises more bytes than come', async () => {
    turnOn('truncated')
    const reply = await get()
    expect(Number(reply.headers.get('content-length'))).toBeGreaterThan(0)
    await expect(reply.text()).rejects.toThrow()
  })

  test('drop ends every connection and accepts none', async () => {
    const { socket } = await dial()
    const closed = once(socket, 'close')
    turnOn('drop')
    expect((await closed)[0]).toBe(1006)
    await expect(get()).rejects.toThrow()
    turnOn('off')
    expect((await get()).status).toBe(200)
  })

  test('half-open requests hang until the client gives up', async () => {
    turnOn('half-open')
    await expect(get('/', { signal: AbortSignal.timeout(50) })).rejects.toThrow(/timeout/)
    expect(answered).toBe(0)
  })

  test('stale answers are those from before, url by url', async () => {
    const before = await (await get('/a')).text()
    turnOn('stale')
    expect(await (await get('/a')).text()).toBe(before)
    expect(await (await get('/b')).json()).toMatchObject({ answered: 2 })
    turnOn('off')
    expect(await (await get('/a')).json()).toMatchObject({ answered: 3 })
  })

  test('skew shows in the Date header', async () => {
    turnOn('skew', { skewMs: -3_600_000 })
    const shown = Date.parse((await get()).headers.get('date') ?? '')
    expect(Date.now() - shown).toBeGreaterThan(3_500_000)
  })

  test('two faults at once', async () => {
    turnOn('garbage')
    turnOn('truncated')
    expect(faults.active('gamma')).toEqual(['garbage', 'truncated'])
    await expect((await get()).text()).rejects.toThrow()
  })
})

describe('faults of sockets', () => {
  test.each(['429', '500'] as const)('%s refuses the handshake', async (mode) => {
    turnOn(mode)
    const [error] = await once(new WebSocket(host.wsUrl), 'error')
    expect(String(error)).toContain(mode)
  })

  test('slow frames come late and in order, and frames after the fault come after them', async () => {
    const { frames } = await dial()
    const [peer] = peers
    turnOn('slow', { delayMs: 60 })
    const startMs = performance.now()
    peer?.send('1')
    peer?.send('2')
    turnOn('off')
    peer?.send('3')
    expect(await frames(3)).toEqual(['1', '2', '3'])
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(55)
    peer?.send('4')
    expect(await frames(4)).toHaveLength(4)
  })

  test('garbage, truncated and duplicate frames', async () => {
    const { frames, send } = await dial()
    turnOn('garbage')
    send('1')
    const [garbage = ''] = await frames(1)
    expect(() => JSON.parse(garbage)).toThrow(SyntaxError)
    turnOn('off')
    turnOn('truncated')
    send('2')
    expect((await frames(2))[1]).toBe('{"echo')
    turnOn('off')
    turnOn('duplicate')
    send('3')
    expect((await frames(4)).slice(2)).toEqual(['{"echo":"3"}', '{"echo":"3"}'])
  })

  test('reordered: a frame comes after the next one, and the last one comes too', async () => {
    const { frames } = await dial()
    const [peer] = peers
    turnOn('reordered')
    peer?.send('1')
    peer?.send('2')
    peer?.send('3')
    turnOn('off')
    expect(await frames(3)).toEqual(['2', '1', '3'])
  })

  test('silent: pings of both kinds are answered, data is not', async () => {
    const { socket, frames, send } = await dial()
    turnOn('silent')
    send('1')
    send('PING')
    socket.ping()
    await once(socket, 'pong')
    expect(await frames(1)).toEqual(['PONG'])
  })

  test('half-open: the socket stays and is dead for good, new ones do not open', async () => {
    const { socket, send } = await dial()
    turnOn('half-open')
    const hung = new WebSocket(host.wsUrl, { handshakeTimeout: 50 })
    expect(String((await once(hung, 'error'))[0])).toContain('timed out')
    turnOn('off')

    const frames: string[] = []
    socket.on('message', (data) => frames.push(data.toString()))
    socket.on('pong', () => frames.push('pong'))
    send('1')
    socket.ping()
    const alive = await dial()
    alive.send('2')
    await alive.frames(1)
    expect(frames).toEqual([])
    expect(socket.readyState).toBe(WebSocket.OPEN)

    const left = new Promise<void>((resolve) => peers[0]?.onClose(resolve))
    socket.terminate()
    await left
  })
})
