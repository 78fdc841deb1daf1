import { errors } from 'undici'
import { codeOf } from '../../core/errors.js'
import { onAbort } from '../../lib/abort.js'
import { startTimeout, TimeoutError } from '../../lib/timeout.js'
import { AddressGuard, parseTarget, TargetError, type WebhookTarget } from './address-guard.js'
import { Attempt } from './attempt.js'
import type { AttemptResult } from './delivery.js'
import { type DialOptions, dial } from './dial.js'
import { createHostResolver, type ResolveHost } from './host-resolver.js'
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

/** The sender was asked to stop during the attempt. */
class InterruptedError extends Error {
  override name = 'InterruptedError'
}

/** What the history says about an attempt that got no answer. Customers read it, and may compare it. */
function describeFailure(error: unknown): string {
  if (error instanceof InterruptedError) return 'interrupted'
  if (error instanceof TimeoutError) return 'timeout'
  if (error instanceof TargetError) return error.attemptError
  const code = codeOf(error) ?? ''
  const known = BY_CODE[code]
  if (known !== undefined) return known
  if (error instanceof errors.HTTPParserError) return 'not an HTTP answer'
  const isTls = /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|EPROTO)/.test(code)
  return isTls ? 'tls failure: handshake failed' : 'connection failed'
}

const UNKNOWN_AUTHORITY = 'tls failure: certificate of an unknown authority'
const SELF_SIGNED = 'tls failure: self-signed certificate'

const BY_CODE: { readonly [code: string]: string } = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection closed without an answer',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'host unreachable',
  EADDRNOTAVAIL: 'host unreachable',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'not an HTTP answer',
  UND_ERR_HEADERS_OVERFLOW: 'headers of the answer are too large',
  CERT_HAS_EXPIRED: 'tls failure: certificate has expired',
  CERT_NOT_YET_VALID: 'tls failure: certificate is not yet valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls failure: certificate is for another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: SELF_SIGNED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls failure: the receiver does not speak TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'tls failure: the receiver does not speak TLS',
}

const IDLE_MAX = 500
/** An account may have many webhooks on one host, with ten requests each. */
const IDLE_PER_ORIGIN_MAX = 250

/** Connections that wait for their next request. An origin without any has no entry. */
class IdleConnections {
  readonly #byOrigin = new Map<string, ReceiverConnection[]>()
  /** All of them, the longest idle first. */
  readonly #all = new Set<ReceiverConnection>()

  get size(): number {
    return this.#all.size
  }

  get originCount(): number {
    return this.#byOrigin.size
  }

  /** The one that was used last, which its receiver will least likely close at this moment. */
  take(origin: string): ReceiverConnection | undefined {
    const connection = this.#byOrigin.get(origin)?.at(-1)
    if (connection !== undefined) this.remove(connection)
    return connection
  }

  /** Closes the longest idle one when there are too many. */
  add(connection: ReceiverConnection): void {
    if (!connection.isOpen) {
      connection.destroy()
      return
    }
    const ofOrigin = this.#byOrigin.get(connection.origin) ?? []
    this.#byOrigin.set(connection.origin, ofOrigin)
    ofOrigin.push(connection)
    this.#all.add(connection)
    if (ofOrigin.length > IDLE_PER_ORIGIN_MAX) this.#close(ofOrigin[0])
    if (this.#all.size > IDLE_MAX) this.#close(this.#all.values().next().value)
  }

  remove(connection: ReceiverConnection): void {
    if (!this.#all.delete(connection)) return
    const ofOrigin = this.#byOrigin.get(connection.origin) ?? []
    ofOrigin.splice(ofOrigin.indexOf(connection), 1)
    if (ofOrigin.length === 0) this.#byOrigin.delete(connection.origin)
  }

  closeAll(): void {
    for (const connection of [...this.#all]) this.#close(connection)
  }

  #close(connection: ReceiverConnection | undefined): void {
    if (connection === undefined) return
    this.remove(connection)
    connection.destroy()
  }
}
