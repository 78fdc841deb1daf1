import { onAbort } from '../../lib/abort.js'
import { startTimeout, TimeoutError } from '../../lib/timeout.js'
import { AddressGuard, parseTarget, type WebhookTarget } from './address-guard.js'
import { Attempt } from './attempt.js'
import { describeFailure, InterruptedError } from './attempt-error.js'
import type { AttemptResult } from './delivery.js'
import { type DialOptions, dial } from './dial.js'
import { createHostResolver, type ResolveHost } from './host-resolver.js'
import { IdleConnections } from './idle-connections.js'
import { ReceiverConnection, StaleConnectionError, type WebhookRequest } from './receiver-connection.js'

/** For everything: to resolve, connect and handshake, the headers, and the body of the answer. */
const ATTEMPT_MS_MAX = 5_000

export type SenderOptions = {
  /** Networks that the operator allows besides the public ones. */
  networks: readonly string[]
  resolve?: ResolveHost
  timeoutMs?: number
  /** Certificates of authorities to trust instead of the known ones. */
  ca?: string
}

type SendRequest = { url: string; headers: Record<string, string>; body: string }

/**
 * Posts to receivers. Each connection is made to an address that was checked, and kept for a few
 * seconds for the next request to the same origin; redirects are answers like any other. A request
 * never waits for another one's connection, so a slow receiver holds up no other on the same host:
 * how many are sent at once is up to the caller.
 */
export class Sender {
  readonly #idle = new IdleConnections()
  readonly #dialling: DialOptions
  readonly #timeoutMs: number
  readonly #running = new Set<Attempt>()
  #isClosed = false

  constructor({ networks, resolve = createHostResolver(), timeoutMs, ca }: SenderOptions) {
    this.#dialling = { guard: new AddressGuard(networks, resolve), ca }
    this.#timeoutMs = timeoutMs ?? ATTEMPT_MS_MAX
  }

  /** Connections that are open and not in use, and the number of origins that they lead to. */
  get idleCounts(): { connections: number; origins: number } {
    return { connections: this.#idle.size, origins: this.#idle.originCount }
  }

  /** Never throws. */
  async send(request: SendRequest, signal?: AbortSignal): Promise<AttemptResult> {
    const startedMs = performance.now()
    let answeredMs: number | undefined
    const onStatus = () => {
      answeredMs = performance.now()
    }
    const end = (statusCode: number | undefined, error: string | undefined): AttemptResult => ({
      success: error === undefined,
      statusCode,
      latencyMs: Math.round((answeredMs ?? performance.now()) - startedMs),
      error,
    })
    const attempt = new Attempt()
    const interrupt = () => attempt.end(new InterruptedError('interrupted'))
    const late = () => attempt.end(new TimeoutError('no answer in time'))
    const stopTimeout = startTimeout(this.#timeoutMs, late)
    const unlink = signal === undefined ? undefined : onAbort(signal, interrupt)
    if (this.#isClosed) interrupt()
    this.#running.add(attempt)
    try {
      const status = await this.#post(parseTarget(request.url), request, attempt, onStatus)
      return end(status, status < 300 ? undefined : `http ${status}`)
    } catch (error) {
      return end(undefined, describeFailure(attempt.endReason ?? error))
    } finally {
      this.#running.delete(attempt)
      stopTimeout()
      unlink?.()
    }
  }

  /** Ends all attempts that run, and closes all connections. */
  close(): void {
    this.#isClosed = true
    for (const attempt of this.#running) attempt.end(new InterruptedError('interrupted'))
    this.#idle.closeAll()
  }

  async #post(
    target: WebhookTarget,
    { headers, body }: SendRequest,
    attempt: Attempt,
    onStatus: () => void,
  ): Promise<number> {
    const { origin, pathname, search } = target.url
    const request = { path: pathname + search, headers, body }
    if (attempt.endReason !== undefined) throw attempt.endReason
    const idle = this.#idle.take(origin)
    try {
      if (idle !== undefined) return await this.#postOn(idle, request, attempt, onStatus)
    } catch (error) {
      if (!(error instanceof StaleConnectionError)) throw error
    }
    const socket = await dial(target, this.#dialling, attempt)
    const connection = new ReceiverConnection(origin, socket, (ended) => this.#idle.remove(ended))
    return await this.#postOn(connection, request, attempt, onStatus)
  }

  async #postOn(
    connection: ReceiverConnection,
    request: WebhookRequest,
    attempt: Attempt,
    onStatus: () => void,
  ): Promise<number> {
    try {
      const status = await connection.post(request, attempt, onStatus)
      if (this.#isClosed) connection.destroy()
      else this.#idle.add(connection)
      return status
    } catch (error) {
      connection.destroy()
      throw error
    }
  }
}
