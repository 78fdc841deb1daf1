import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '../../test/until.js'

type Held = { request: IncomingMessage; response: ServerResponse; body: Buffer }

type Instead = (url: URL) => { status: number; body: unknown } | undefined

/**
 * An HTTP proxy before an upstream. It records requests, answers those that the test chooses, and while it
 * is held it keeps all others back until the test releases them.
 */
export class HoldingProxy {
  readonly url: string
  readonly #server: ReturnType<typeof createServer>
  #target = ''
  #held: Held[] = []
  #isOpen = true
  /** Method and path of all requests. */
  readonly seen: string[] = []
  /** What the proxy answers itself; `undefined`: the upstream answers. */
  answerInstead: Instead = () => undefined

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (request, response) => void this.#onRequest(request, response))
  }

  static async open(): Promise<HoldingProxy> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new HoldingProxy(server)
  }

  /** Forwards requests to this URL. Returns its own. */
  forwardTo(target: string): string {
    this.#target = target
    return this.url
  }

  hold(): void {
    this.#isOpen = false
    this.seen.length = 0
  }

  /** Forwards the requests that are held, once there are this many. */
  async forwardHeld(count: number): Promise<void> {
    await until(() => this.#held.length >= count)
    const round = this.#held
    this.#held = []
    await Promise.all(round.map((held) => this.#forward(held)))
  }

  /** Forwards everything from now on. */
  async release(): Promise<void> {
    this.#isOpen = true
    await this.forwardHeld(0)
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
    const target = new URL(url, this.#target)
    const send = (status: number, text: string) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    const instead = this.answerInstead(target)
    if (instead !== undefined) {
      send(instead.status, JSON.stringify(instead.body))
      return
    }
    try {
      const answer = await fetch(target, {
        method,
        ...(body.length > 0 && { body, headers: { 'content-type': 'application/json' } }),
      })
      send(answer.status, await answer.text())
    } catch {
      // The upstream gave no answer: the client gets none either.
      response.destroy()
    }
  }
}
