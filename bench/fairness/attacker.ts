import { Agent, createServer, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setPriority } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { WebSocket } from 'ws'

// One account, or an address without a key, that asks for as much as it may, in a process of its own.

export type Attack =
  | { kind: 'reads'; paths: string[]; parallel: number }
  | { kind: 'messages'; path: string; messages: string[]; connections: number }
  | { kind: 'connections'; count: number; from: string }
  | { kind: 'slow receivers'; count: number; delayMs: number }

export type Order = { port: number; key: string; seconds: number; attack: Attack }

/** How often the service answered with each status or error code. */
export type Outcome = Record<string, number>

// An attacker has a machine of its own: here it takes what the service and its database leave.
setPriority(19)

let outcome: Outcome = {}

const count = (what: string | number) => {
  outcome[what] = (outcome[what] ?? 0) + 1
}

async function run({ attack, ...order }: Order): Promise<Outcome> {
  outcome = {}
  const until = performance.now() + order.seconds * 1_000
  switch (attack.kind) {
    case 'reads':
      await readInParallel(order, attack.paths, attack.parallel, until)
      break
    case 'messages':
      await sendMessages(order, attack, until)
      break
    case 'connections':
      await openConnections(order.port, attack, until)
      break
    case 'slow receivers':
      await receiveSlowly(order, attack, until)
      break
  }
  return outcome
}

async function readInParallel({ port, key }: Target, paths: string[], parallel: number, until: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: parallel })
  let sent = 0
  const read = async () => {
    while (performance.now() < until) {
      const status = await ask({ port, path: paths[sent++ % paths.length] ?? '', key, agent }).catch(() => 0)
      count(status)
      if (status !== 200) await wait(REFUSED_MS)
    }
  }
  await Promise.all(Array.from({ length: parallel }, read))
  agent.destroy()
}

/** A client that is refused tries again long before it should. */
const REFUSED_MS = 250

type Target = Omit<Order, 'attack'>
type Ask = { port: number; path: string; key: string; agent: Agent; method?: string; body?: object }

function ask({ port, path, key, agent, method = 'GET', body }: Ask): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const asked = request({ host: '127.0.0.1', port, path, method, headers, agent }, (answer) => {
      answer.on('error', reject)
      answer.on('end', () => resolve(answer.statusCode ?? 0))
      answer.resume()
    })
    asked.on('error', reject)
    asked.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** As many messages as a connection may send, on each connection. */
const MESSAGES_PER_SECOND = 28

async function sendMessages(
  { port, key }: Target,
  { path, messages, connections }: Extract<Attack, { kind: 'messages' }>,
  until: number,
) {
  const send = async (number: number) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': key } })
    socket.on('error', () => count('refused'))
    socket.on('close', (code) => count(`closed ${code}`))
    socket.on('message', (data: Buffer) => {
      const code = /"(?:code|error)":"(\w+)"/.exec(data.subarray(0, 300).toString())?.[1]
      if (code !== undefined) count(code)
    })
    await new Promise((resolve) => socket.once('open', resolve).once('close', resolve))
    for (let next = number; performance.now() < until && socket.readyState === socket.OPEN; next++) {
      // What the service does not read stays here.
      if (socket.bufferedAmount < 4_000_000) {
        socket.send(messages[next % messages.length] ?? '')
        count('sent')
      }
      await wait(1_000 / MESSAGES_PER_SECOND)
    }
    socket.terminate()
  }
  await Promise.all(Array.from({ length: connections }, (_, number) => send(number)))
}

async function openConnections(
  port: number,
  { count: wanted, from }: Extract<Attack, { kind: 'connections' }>,
  until: number,
) {
  const open = new Set<Socket>()
  while (performance.now() < until) {
    while (open.size < wanted) {
      const socket = connect({ host: '127.0.0.1', port, localAddress: from })
      open.add(socket)
      socket.on('connect', () => {
        count('connected')
        socket.write('GET /v1/status HTTP/1.1\r\n')
      })
      socket.on('error', () => undefined)
      socket.on('close', () => {
        count('closed')
        open.delete(socket)
      })
      if (open.size % 200 === 0) await wait(5)
    }
    await wait(20)
  }
  for (const socket of open) socket.destroy()
}

/** Receivers that take everything and answer late. */
async function receiveSlowly(
  { port, key }: Target,
  { count: wanted, delayMs }: Extract<Attack, { kind: 'slow receivers' }>,
  until: number,
) {
  const receiver = createServer((delivery, response) => {
    delivery.resume()
    count('received')
    setTimeout(() => response.writeHead(204).end(), delayMs)
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const { port: receiverPort } = receiver.address() as AddressInfo
  const create = async (number: number) => {
    const url = `http://127.0.0.1:${receiverPort}/${number}`
    const body = { url, event_types: ['trade'] }
    count(`webhook ${await ask({ port, path: '/v3/webhooks', key, agent, method: 'POST', body })}`)
  }
  await Promise.all(Array.from({ length: wanted }, (_, number) => create(number)))
  await wait(Math.max(0, until - performance.now()))
  agent.destroy()
  receiver.closeAllConnections()
  receiver.close()
}

process.on('message', (order: Order) => void run(order).then((result) => process.send?.(result)))
process.on('disconnect', () => process.exit())
