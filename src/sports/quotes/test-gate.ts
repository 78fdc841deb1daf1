import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '../../../test/until.js'

type Held = { request: IncomingMessage; response: ServerResponse; body: Buffer }

/** Stands before an upstream and holds every request until the test lets it pass. */
export class Gate {
  readonly url: string
  readonly #server: ReturnType<typeof createServer>
  #target = ''
  #held: Held[] = []
  #isOpen = true
  /** Method and path of all requests. */
  readonly seen: string[] = []

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (request, response) => void this.#onRequest(request, response))
  }

  static async open(): Promise<Gate> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Gate(server)
  }

  /** Where requests go. */
  lead(target: string): string {
    this.#target = target
    return this.url
  }

  shut(): void {
    this.#isOpen = false
    this.seen.length = 0
  }

  /** Lets one round of requests pass, when so many have come. */
  async pass(count: number): Promise<void> {
    await until(() => this.#held.length >= count)
    const round = this.#held
    this.#held = []
    await Promise.all(round.map((held) => this.#forward(held)))
  }

  /** Lets everything pass from now on. */
  async lift(): Promise<void> {
    this.#isOpen = true
    await this.pass(0)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray())
    const held = { request, response, body }
    this.seen.push(`${request.method} ${request.url?.split('?')[0]}`)
    if (this.#isOpen) await this.#forward(held)
    else this.#held.push(held)
  }

  async #forward({ request, response, body }: Held): Promise<void> {
    const { method = 'GET', url = '/' } = request
    const answer = await fetch(`${this.#target}${url}`, {
      method,
      ...(body.length > 0 && { body, headers: { 'content-type': 'application/json' } }),
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(await answer.text())
  }
}
