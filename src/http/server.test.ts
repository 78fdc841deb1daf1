import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cutSlowReaders } from './server.js'

const server = createServer((_request, response) => response.end(Buffer.alloc(50_000_000)))

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  cutSlowReaders(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  vi.useRealTimers()
  server.closeAllConnections()
  server.close()
})

test('a client that takes nothing of its answer is cut off, one that waits for nothing is not', async () => {
  const { port } = server.address() as AddressInfo
  const connected: unknown[] = []
  server.on('connection', (socket) => connected.push(socket))
  const idle = connect(port, '127.0.0.1')
  const stuck = connect(port, '127.0.0.1')
  stuck.on('error', () => undefined).pause()
  stuck.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  const hasWaiting = () =>
    connected.some((socket) => (socket as { writableLength: number }).writableLength > 0)
  await vi.waitFor(() => expect(hasWaiting()).toBe(true))

  // The kernel takes what fits into its buffers; from then on nothing moves between two checks.
  await vi.waitFor(() => {
    vi.advanceTimersByTime(20_000)
    expect(connected.filter((socket) => (socket as { destroyed: boolean }).destroyed)).toHaveLength(1)
  })
  expect(idle.destroyed).toBe(false)
  stuck.destroy()
  idle.destroy()
})
