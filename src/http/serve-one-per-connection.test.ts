import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { until } from '../../test/until.js'
import { serveOnePerConnection } from './serve-one-per-connection.js'

const opened: (Server | Socket)[] = []
afterEach(() => {
  for (const each of opened.splice(0)) 'destroy' in each ? each.destroy() : each.close()
})

/** A server, with its ends of the connections, and the answers that its handler has to give. */
async function listen(waitingMax?: number) {
  const inWork: { path: string; response: ServerResponse }[] = []
  const handle: RequestListener = ({ url = '' }, response) => {
    inWork.push({ path: url, response })
  }
  return { ...(await serve(serveOnePerConnection(handle, waitingMax))), inWork }
}

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  opened.push(server)
  await once(server, 'listening')
  const sockets: Socket[] = []
  server.on('connection', (socket) => sockets.push(socket))
  const open = () => {
    const { port } = server.address() as AddressInfo
    const client = connect(port, '127.0.0.1').on('error', () => undefined)
    opened.push(client)
    const received: Buffer[] = []
    client.on('data', (chunk) => received.push(chunk))
    const bodies = () =>
      [
        ...Buffer.concat(received)
          .toString()
          .matchAll(/\r\n\r\n(\/\d+)/g),
      ].map((hit) => hit[1])
    return { client, bodies }
  }
  return { sockets, open }
}

const paths = (count: number) => Array.from({ length: count }, (_, index) => `/${index}`)
const pipeline = (count: number) =>
  paths(count)
    .map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
    .join('')

test('one request of a connection is in work, the rest waits unread, and all are answered', async () => {
  let inWork = 0
  let inWorkMax = 0
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const { sockets, open } = await serve(
    serveOnePerConnection(async ({ url }, response) => {
      inWorkMax = Math.max(inWorkMax, ++inWork)
      await released
      await new Promise((resolve) => setImmediate(resolve))
      inWork--
      response.end(url)
    }),
  )
  const clients = Array.from({ length: 3 }, () => open())
  for (const { client } of clients) client.write(pipeline(2_500))
  await until(() => inWork === 3)
  // Node.js reads 64 KiB at once; the reading of each connection stops with that.
  await until(() => sockets.every((socket) => socket.isPaused()))
  expect(sockets.map(({ bytesRead }) => bytesRead <= 65_536)).toEqual([true, true, true])
  release()
  await until(() => clients.every(({ bodies }) => bodies().length === 2_500))
  expect(inWorkMax).toBe(3)
  for (const { bodies } of clients) expect(bodies()).toEqual(paths(2_500))
})

test('a client with one request is answered among thousands that need no waiting', async () => {
  let handled = 0
  let handledBefore: number | undefined
  const { open } = await serve(
    serveOnePerConnection(({ url = '' }, response) => {
      if (url === '/other') handledBefore = handled
      else if (++handled === 10) other.client.write('GET /other HTTP/1.1\r\nhost: x\r\n\r\n')
      response.end(url)
    }),
  )
  const other = open()
  await once(other.client, 'connect')
  const many = open()
  many.client.write(pipeline(1_500))
  await until(() => many.bodies().length === 1_500)
  expect(handledBefore).toBeLessThan(200)
})

test('a request with a body that is not complete follows others', async () => {
  const bodies: string[] = []
  const { open } = await serve(
    serveOnePerConnection((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        bodies.push(body)
        response.end(request.url)
      })
    }),
  )
  const { client, bodies: answers } = open()
  client.write(`${pipeline(3)}POST /3 HTTP/1.1\r\nhost: x\r\ncontent-length: 6\r\n\r\nabc`)
  await until(() => answers().length === 3)
  client.write(`def${pipeline(2)}`)
  await until(() => answers().length === 6)
  expect(answers()).toEqual(['/0', '/1', '/2', '/3', '/0', '/1'])
  expect(bodies).toEqual(['', '', '', 'abcdef', '', ''])
})

test('the connection that would exceed the waiting requests of all is cut, and gives back its own', async () => {
  const { inWork, sockets, open } = await listen(100)
  const greedy = open()
  greedy.client.write(pipeline(1_000))
  await until(() => sockets[0]?.destroyed === true)
  const modest = open()
  modest.client.write(pipeline(101))
  await until(() => {
    for (const { path, response } of inWork.splice(0)) response.end(path)
    return modest.bodies().length === 101
  })
  expect(sockets).toHaveLength(2)
})

test('requests of a client that has left are not worked on', async () => {
  const { inWork, sockets, open } = await listen(100)
  for (let round = 0; round < 3; round++) {
    const { client } = open()
    client.write(pipeline(90))
    await until(() => inWork.length === 1)
    client.resetAndDestroy()
    const [first] = inWork.splice(0)
    first?.response.write('x')
    first?.response.write('x')
    await until(() => {
      first?.response.write('x')
      return sockets[round]?.destroyed === true
    })
    expect(inWork).toEqual([])
  }
})
