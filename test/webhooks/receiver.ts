import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { vi } from 'vitest'
import { type Envelope, problemsOfEnvelope } from './payload-shapes.js'

/** A request that a receiver has had, and how it answered. */
export type ReceivedRequest = {
  /** Path of the URL: tests give each webhook one of its own. */
  path: string
  headers: Readonly<Record<string, string>>
  body: string
  envelope: Envelope
  /** `performance.now()` when the whole request was there. */
  atMs: number
  /** The status that was sent; `undefined`: none, or the connection was cut. */
  answered: number | undefined
}

/** How a receiver answers. `cut`: the connection ends without an answer. `hang`: no answer comes. */
export type Answer = number | 'cut' | 'hang'

/** A real HTTP server that keeps every request. */
export async function openReceiver(answer: (request: ReceivedRequest) => Answer = () => 200) {
  const requests: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const received = toReceived(request, body)
      requests.push(received)
      reply(received, answer(received), response)
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    /** The requests under a path. */
    at: (path: string) => requests.filter((request) => request.path === path),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>

function toReceived(request: IncomingMessage, body: string): ReceivedRequest {
  return {
    path: request.url ?? '',
    headers: request.headers as Record<string, string>,
    body,
    envelope: parse(body),
    atMs: performance.now(),
    answered: undefined,
  }
}

/** What is no JSON shows as an envelope without an id. */
function parse(body: string): Envelope {
  try {
    return JSON.parse(body) as Envelope
  } catch {
    return { id: '', type: '', created_at: '', data: {} }
  }
}

function reply(received: ReceivedRequest, answer: Answer, response: ServerResponse): void {
  if (answer === 'hang') return
  if (answer === 'cut') {
    response.destroy()
    return
  }
  received.answered = answer
  response.writeHead(answer).end()
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

type SignedBy = {
  /** Of the webhook: `wh_…`. */
  webhookId: string
  secret: string
  /** The time of the service, which a test may move. */
  nowMs: number
}

/** Like the library. */
const CLOCKS_APART_SEC_MAX = 300

/** Everything that is wrong with a delivery: its headers, both signatures and its payload. */
export function problemsOfDelivery(request: ReceivedRequest, by: SignedBy): string[] {
  const { headers, envelope } = request
  const expected: Record<string, string | undefined> = {
    'content-type': 'application/json',
    'x-webhook-id': by.webhookId,
    'x-webhook-event': envelope.type,
    'webhook-id': envelope.id,
    'webhook-timestamp': headers['x-webhook-timestamp'],
    'x-webhook-signature': sign(request, by.secret),
  }
  const wrong = Object.entries(expected)
    .filter(([name, value]) => headers[name] !== value)
    .map(([name, value]) => `${name} must be ${value}, not ${headers[name]}`)
  const apartSec = Math.abs(Number(headers['x-webhook-timestamp']) - by.nowMs / 1000)
  if (!(apartSec <= CLOCKS_APART_SEC_MAX)) wrong.push(`the timestamp is ${apartSec} s off`)
  if (!/^auspex/i.test(headers['user-agent'] ?? '')) wrong.push('user-agent must name the service')
  return [...wrong, ...problemsOfLibrary(request, by), ...problemsOfEnvelope(envelope)]
}

/** The specification's signature: HMAC-SHA256 over `<timestamp>.<body>`, keyed with the whole secret. */
function sign({ headers, body }: ReceivedRequest, secret: string): string {
  const hmac = createHmac('sha256', secret)
  hmac.update(`${headers['x-webhook-timestamp']}.${body}`)
  return `sha256=${hmac.digest('hex')}`
}

/** What a published library says of the delivery. */
function problemsOfLibrary({ headers, body }: ReceivedRequest, by: SignedBy): string[] {
  // The library compares timestamps with the clock of this process.
  vi.useFakeTimers({ toFake: ['Date'], now: by.nowMs })
  try {
    new Webhook(by.secret).verify(body, headers)
    return []
  } catch (error) {
    return [`the Standard Webhooks library refuses it: ${error}`]
  } finally {
    vi.useRealTimers()
  }
}
