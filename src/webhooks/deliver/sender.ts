import { isIP, type LookupFunction, Socket } from 'node:net'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { buildConnector, type Dispatcher, errors, Pool } from 'undici'
import { codeOf } from '../../core/errors.js'
import { HOP_HEADER } from '../../http/request-headers.js'
import { onAbort } from '../../lib/abort.js'
import { startTimeout, TimeoutError } from '../../lib/timeout.js'
import {
  AddressGuard,
  createHostResolver,
  parseTarget,
  type ResolveHost,
  TargetError,
  type WebhookTarget,
} from './address-guard.js'

/** For everything: to resolve, connect and handshake, the headers, and the body of the answer. */
const ATTEMPT_MS_MAX = 5_000
const ANSWER_BODY_BYTES_MAX = 64 * 1024
const ANSWER_HEADER_BYTES_MAX = 16 * 1024
const IDLE_MS_MAX = 4_000
const IDLE_CONNECTIONS_MAX = 500
/** A name with hundreds of addresses would be dialled until the time is over. */
const ADDRESSES_DIALLED_MAX = 4
/** Before the next address is tried. */
const ADDRESS_MS_MAX = 1_000

export type SenderOptions = {
  /** Networks that the operator allows besides the public ones. */
  networks: readonly string[]
  resolve?: ResolveHost
  timeoutMs?: number
  /** Certificates of authorities to trust instead of the known ones. */
  ca?: string
}

/** What came of an attempt. */
export type AttemptResult = {
  success: boolean
  /** `undefined`: no HTTP answer. */
  statusCode: number | undefined
  latencyMs: number
  /** `undefined`: success. */
  error: string | undefined
}

type SendRequest = { url: string; headers: Record<string, string>; body: string }

/**
 * Posts to receivers. Each connection is made to an address that was checked, and kept for a few
 * seconds for the next request to the same origin; redirects are answers like any other. A request
 * never waits for another one's connection, so a slow receiver holds up no other on the same host:
 * how many are sent at once is up to the caller.
 */
export class Sender {
  readonly #guard: AddressGuard
  readonly #timeoutMs: number
  readonly #ca: string | undefined
  /** By origin, the longest unused first. An origin without connections and requests has none. */
  readonly #pools = new Map<string, Pool>()
  /** Those that are being opened included. */
  readonly #sockets = new Set<Socket>()
  readonly #running = new Set<Attempt>()
  #isClosed = false

  constructor({ networks, resolve = createHostResolver(), timeoutMs, ca }: SenderOptions) {
    this.#guard = new AddressGuard(networks, resolve)
    this.#timeoutMs = timeoutMs ?? ATTEMPT_MS_MAX
    this.#ca = ca
  }

  /** Connections that are open and not in use, and the number of origins that are kept. */
  get idleCounts(): { connections: number; origins: number } {
    const free = [...this.#pools.values()].map(({ stats }) => stats.free)
    return { connections: free.reduce((sum, count) => sum + count, 0), origins: this.#pools.size }
  }

  /** Never throws. */
  async send(request: SendRequest, signal?: AbortSignal): Promise<AttemptResult> {
    const attempt = new Attempt()
    const interrupt = () => attempt.end(new InterruptedError('interrupted'))
    const late = () => attempt.end(new TimeoutError('no answer in time'))
    const stopTimeout = startTimeout(this.#timeoutMs, late)
    const unlink = signal === undefined ? undefined : onAbort(signal, interrupt)
    if (this.#isClosed) interrupt()
    this.#running.add(attempt)
    try {
      if (!attempt.isOver) this.#post(request, attempt)
    } catch (error) {
      attempt.end(error)
    }
    const result = await attempt.result
    stopTimeout()
    unlink?.()
    // undici frees a connection one iteration of the event loop after the answer; a request before that opens another one.
    await nextIteration()
    this.#running.delete(attempt)
    const hasTooMany = this.#sockets.size - this.#running.size > IDLE_CONNECTIONS_MAX
    if (hasTooMany && !this.#isClosed) this.#closeUnused()
    return result
  }

  /** Ends all attempts that run, and closes all connections. */
  close(): void {
    this.#isClosed = true
    for (const attempt of this.#running) attempt.end(new InterruptedError('interrupted'))
    for (const pool of this.#pools.values()) void pool.destroy()
    for (const socket of this.#sockets) socket.destroy()
  }

  #post({ url, headers, body }: SendRequest, attempt: Attempt): void {
    const target = parseTarget(url)
    const { origin, pathname, search } = target.url
    const pool = this.#pools.get(origin) ?? this.#createPool(target)
    this.#pools.delete(origin)
    this.#pools.set(origin, pool)
    const marked = { ...headers, [HOP_HEADER]: '1' }
    pool.dispatch({ method: 'POST', path: pathname + search, headers: marked, body }, attempt)
  }

  #createPool(target: WebhookTarget): Pool {
    const { origin } = target.url
    const pool = new Pool(origin, {
      connect: (options, callback) => void this.#connect(target, options, callback),
      pipelining: 1,
      maxHeaderSize: ANSWER_HEADER_BYTES_MAX,
      keepAliveTimeout: IDLE_MS_MAX,
      keepAliveMaxTimeout: IDLE_MS_MAX,
      // An attempt has one deadline for everything.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const forgetUnused = () => {
      const { connected, size } = pool.stats
      if (connected + size === 0 && this.#pools.get(origin) === pool) this.#pools.delete(origin)
    }
    return pool.on('disconnect', forgetUnused).on('connectionError', forgetUnused)
  }

  /**
   * Opens a connection to one of the target's addresses, each of which was checked: nothing resolves the
   * name a second time in between. With TLS, the certificate must be valid for the host.
   */
  async #connect(
    target: WebhookTarget,
    options: buildConnector.Options,
    callback: buildConnector.Callback,
  ): Promise<void> {
    try {
      const addresses = await this.#guard.resolve(target)
      if (this.#isClosed) throw new InterruptedError('interrupted')
      const socket = await this.#dial(addresses.slice(0, ADDRESSES_DIALLED_MAX), options)
      if (!this.#guard.allows(socket.remoteAddress ?? '', target)) {
        socket.destroy()
        throw new TargetError('leads to an address that is not public')
      }
      callback(null, socket)
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), null)
    }
  }

  #dial(addresses: readonly string[], options: buildConnector.Options): Promise<Socket> {
    const connect = buildConnector({
      lookup: lookUpIn(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_MS_MAX,
      timeout: this.#timeoutMs,
      rejectUnauthorized: true,
      // A resumed session is not checked against the host again.
      maxCachedSessions: 0,
      ...(this.#ca !== undefined && { ca: this.#ca }),
    })
    return new Promise((resolve, reject) => {
      const socket: unknown = connect(options, (error, opened) =>
        error === null ? resolve(opened) : reject(error),
      )
      if (!(socket instanceof Socket)) return
      this.#sockets.add(socket)
      socket.once('close', () => {
        this.#sockets.delete(socket)
        // The peer ended the connection before the handshake was over.
        reject(new Error('closed'))
      })
    })
  }

  /** Closes the connections of the origin that was not used for longest, when their requests have ended. */
  #closeUnused(): void {
    const [oldest] = this.#pools
    if (oldest === undefined) return
    this.#pools.delete(oldest[0])
    void oldest[1].close()
  }
}

/** Answers with the checked addresses, in the form that the caller asks for. */
function lookUpIn(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, options, callback) => {
    const [first = { address: '', family: 0 }] = found
    if (options.all === true) callback(null, found)
    else callback(null, first.address, first.family)
  }
}

/**
 * One attempt: what the receiver answers, or what ends it before, whichever comes first. The body is read
 * only so that the connection can be used again, and no further than the limit: what it holds does not
 * matter, nor whether it is whole. An `AbortController` would be the usual form of its end, and costs a
 * tenth of the whole attempt.
 */
class Attempt implements Dispatcher.DispatchHandler {
  readonly result: Promise<AttemptResult>
  readonly #startedMs = performance.now()
  #resolve: (result: AttemptResult) => void = () => undefined
  #isOver = false
  #controller: Dispatcher.DispatchController | undefined
  #statusCode: number | undefined
  #answeredMs: number | undefined
  #bodyBytes = 0

  constructor() {
    this.result = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** The first end counts. With a status the attempt had its answer, whatever the reason is. */
  end(reason: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    const statusCode = this.#statusCode
    const latencyMs = Math.round((this.#answeredMs ?? performance.now()) - this.#startedMs)
    const error = statusCode === undefined ? describeFailure(reason) : describeStatus(statusCode)
    this.#resolve({ success: error === undefined, statusCode, latencyMs, error })
    this.#controller?.abort(reason instanceof Error ? reason : new Error('the attempt is over'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(new InterruptedError('the attempt is over'))
  }

  onResponseStart(_: unknown, statusCode: number): void {
    if (statusCode < 200) return
    this.#statusCode = statusCode
    this.#answeredMs = performance.now()
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#bodyBytes += chunk.length
    if (this.#bodyBytes > ANSWER_BODY_BYTES_MAX) this.end(undefined)
  }

  onResponseEnd(): void {
    this.#controller = undefined
    this.end(undefined)
  }

  onResponseError(_: unknown, error: Error): void {
    this.#controller = undefined
    this.end(error)
  }
}

const describeStatus = (statusCode: number): string | undefined =>
  statusCode < 300 ? undefined : `http ${statusCode}`

/** The sender had to stop during the attempt. */
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
