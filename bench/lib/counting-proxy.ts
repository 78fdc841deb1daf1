import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A call that passed, with the times of its beginning and its end. */
export type CountedCall = { path: string; text: string; startMs: number; endMs: number }

/** A proxy of an upstream that records the requests. */
export class CountingProxy {
  readonly calls: CountedCall[] = []
  readonly #target: string
  readonly #server: ReturnType<typeof createServer>

  private constructor(target: string) {
    this.#target = target
    this.#server = createServer((request, response) => void this.#forward(request, response))
  }

  static async open(target: string): Promise<CountingProxy> {
    const proxy = new CountingProxy(target)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startMs = performance.now()
    const { method = 'GET', url = '/' } = request
    const body = Buffer.concat(await request.toArray())
    const answer = await fetch(`${this.#target}${url}`, {
      method,
      ...(body.length > 0 && { body, headers: { 'content-type': 'application/json' } }),
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(await answer.text())
    const [path = ''] = url.split('?')
    this.calls.push({ path, text: url + body, startMs, endMs: performance.now() })
  }
}

/** How many calls had to wait for others: those that began together are one round. */
export function countRounds(calls: readonly CountedCall[]): number {
  let rounds = 0
  let roundEndMs = Number.NEGATIVE_INFINITY
  for (const { startMs, endMs } of calls.toSorted((a, b) => a.startMs - b.startMs)) {
    if (startMs >= roundEndMs) {
      rounds++
      roundEndMs = endMs
    } else roundEndMs = Math.min(roundEndMs, endMs)
  }
  return rounds
}
