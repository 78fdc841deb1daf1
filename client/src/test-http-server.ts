import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export type ReceivedRequest = {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** Gives these answers one after another; the last one is repeated. A number is a status without a body. */
export type TestAnswer =
  | number
  | { status?: number; headers?: Record<string, string>; body?: unknown }
  | 'hang up'

/** A server for one test. `answers` may look at the request. */
export async function listenHttp(answers: TestAnswer[] | ((request: ReceivedRequest) => TestAnswer)) {
  const requests: ReceivedRequest[] = []
  const server = createServer(async (message, response) => {
    let body = ''
    for await (const chunk of message) body += chunk
    const { method = '', url = '', headers } = message
    const request = { method, url, headers, body }
    requests.push(request)
    const answer =
      typeof answers === 'function'
        ? answers(request)
        : answers[Math.min(requests.length, answers.length) - 1]
    send(response, answer ?? 200)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}`, requests }
}

function send(response: ServerResponse, answer: TestAnswer): void {
  if (answer === 'hang up') {
    response.destroy()
    return
  }
  const { status = 200, headers = {}, body } = typeof answer === 'number' ? { status: answer } : answer
  response.writeHead(status, headers)
  response.end(typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body))
}
