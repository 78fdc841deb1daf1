import type { IncomingMessage } from 'node:http'
import type { Caller } from '../accounts/key-ring.js'
import { digestSecret, digestSession } from '../accounts/secret.js'
import type { Clock } from '../core/clock.js'
import { isOutage } from '../core/database-fault.js'
import { ApiError } from '../core/errors.js'
import { createAddressReader, createHostReader } from '../http/client-address.js'
import { findSecret } from '../http/guard.js'
import { findSession } from '../http/session-cookie.js'
import { faultFields } from '../lib/fault-fields.js'
import { pollUntil } from '../lib/timing.js'
import { type RangeFault, type ReplayRange, readReplayRange } from '../replay/replay-range.js'
import type { SessionRefusal, SocketSession } from '../sessions/socket-sessions.js'
import { CLOSE, type ConnectionOptions, type SocketError, type SocketKind } from './connection.js'
import { type Connections, OUT_OF_TIME } from './connections.js'
import type { StreamDeps } from './deps.js'

/** What a client asks for when it connects. */
export type SocketRequest = {
  socket: SocketKind
  address: string
  /** In the form in which routes have them, for the search of the key. */
  query: { key: string | string[] | undefined }
  headers: IncomingMessage['headers']
  /** The host that the client connected to, as trusted proxies say. */
  host: string
  options: ConnectionOptions | { code: string; message: string }
  /** A replay that cannot be: it is refused before there is a WebSocket. */
  fault: RangeFault | undefined
}

const PATHS: Readonly<Record<string, SocketKind>> = {
  '/ws': 'events',
  '/ws/': 'events',
  '/ws/orderbook': 'orderbook',
  '/ws/orderbook/': 'orderbook',
  '/ws/replay': 'replay',
  '/ws/replay/': 'replay',
}

/** Reads requests that ask for a WebSocket; `undefined`: there is none at this path. */
export function createUpgradeReader(trustedProxies: readonly string[], clock: Clock) {
  const readAddress = createAddressReader(trustedProxies)
  const readHost = createHostReader(trustedProxies)
  return (request: IncomingMessage): SocketRequest | undefined => {
    const { url = '/', headers } = request
    const queryAt = url.indexOf('?')
    const socket = PATHS[queryAt === -1 ? url : url.slice(0, queryAt)]
    if (socket === undefined) return undefined
    const parameters = new URLSearchParams(queryAt === -1 ? '' : url.slice(queryAt + 1))
    const keys = parameters.getAll('key')
    const { replay, fault } = socket === 'replay' ? readRange(parameters, clock.now()) : NO_REPLAY
    return {
      socket,
      address: readAddress(request),
      query: { key: keys.length > 1 ? keys : keys[0] },
      headers,
      host: readHost(request),
      options: readOptions(socket, parameters, replay),
      fault,
    }
  }
}

const NO_REPLAY = { replay: undefined, fault: undefined }

function readRange(parameters: URLSearchParams, nowMs: number) {
  const range = readReplayRange(parameters, nowMs)
  return 'field' in range ? { replay: undefined, fault: range } : { replay: range, fault: undefined }
}

function readOptions(
  socket: SocketKind,
  parameters: URLSearchParams,
  replay: ReplayRange | undefined,
): SocketRequest['options'] {
  const compress = parameters.get('compress')
  if (compress !== null && compress !== '' && compress !== 'zlib') {
    return { code: 'invalid_compress_option', message: 'Invalid compress. Allowed: zlib' }
  }
  const integrity = parameters.get('integrity')
  if (socket === 'orderbook' && !isSwitch(integrity)) {
    return { code: 'invalid_integrity_option', message: 'Invalid integrity. Allowed: 0, 1' }
  }
  const bySubscription = parameters.get('by_subscription')
  if (socket !== 'orderbook' && !isSwitch(bySubscription)) {
    return { code: 'invalid_by_subscription_option', message: 'Invalid by_subscription. Allowed: 0, 1' }
  }
  return {
    isDeflated: compress === 'zlib',
    hasIntegrity: integrity === '1',
    isBySubscription: bySubscription === '1',
    replay,
  }
}

const isSwitch = (value: string | null): boolean => value === null || value === '0' || value === '1'

/** While the service starts, clients wait this long for the database, and are then sent away. */
const DATABASE_MS_MAX = 8_000

export type AdmittedSocket = { caller: Caller; digest: string; session: SocketSession }
export type RefusedSocket = { closeCode: number; error: SocketError }

/** What a client proves itself with: a key, or the session of its browser. Throws like `findSecret` and `findSession`. */
export function findCredentials(request: SocketRequest, config: StreamDeps['config']) {
  const secret = findSecret(request)
  const session = secret === undefined ? findSession(request, config, { isChange: true }) : undefined
  return { secret, session, digest: digestSecret(secret ?? '') ?? digestSession(session ?? '') }
}

type AdmissionDeps = Pick<
  StreamDeps,
  'config' | 'admission' | 'socketSessions' | 'usage' | 'store' | 'floodLog'
>

/** Decides on clients that connect: by their key or session, then by the limits of its plan. */
export class SocketAdmission {
  readonly #deps: AdmissionDeps
  readonly #connections: Connections
  readonly #closing = new AbortController()

  constructor(deps: AdmissionDeps, connections: Connections) {
    this.#deps = deps
    this.#connections = connections
  }

  async admit(request: SocketRequest): Promise<AdmittedSocket | RefusedSocket> {
    try {
      const { admission, config } = this.#deps
      const { secret, session, digest } = findCredentials(request, config)
      if (digest !== undefined) await this.#untilDatabase()
      const caller = await admission.identify(secret, { ip: request.address }, session)
      const tooLong = refuseTooLong(request, caller)
      if (tooLong !== undefined) return tooLong
      const verdict = await this.#openSession(caller, request.socket)
      if ('refusal' in verdict) return refuseByLimit(verdict.refusal, request.socket, caller)
      this.#deps.usage.note(caller)
      return { caller, digest: digest ?? '', session: verdict.session }
    } catch (error) {
      return this.#toRefusal(error)
    }
  }

  /** Clients that wait for the database are refused. */
  close(): void {
    this.#closing.abort()
  }

  async #untilDatabase(): Promise<void> {
    const { store } = this.#deps
    const isReady = () => store.problem === undefined
    const { signal } = this.#closing
    if (!isReady()) await pollUntil(isReady, { everyMs: 50, timeoutMs: DATABASE_MS_MAX, signal })
  }

  async #openSession(caller: Caller, socket: SocketKind) {
    const { socketSessions } = this.#deps
    const verdict = await socketSessions.open(caller, socket)
    if (!('refusal' in verdict) || verdict.refusal !== 'connection_limit') return verdict
    // A client that lost its network connects again, while its last connection still looks open here.
    const silent = this.#connections.findSilent(caller.accountId, socket)
    if (silent === undefined) return verdict
    silent.close(CLOSE.idle, 'no answer to a Ping, and the account connects again')
    return await socketSessions.open(caller, socket)
  }

  #toRefusal(error: unknown): RefusedSocket {
    if (error instanceof ApiError) return refuseByStatus(error)
    if (isOutage(error)) return UNAVAILABLE
    this.#deps.floodLog.write('error', 'socket not admitted', () => faultFields(error))
    const message = 'Internal server error'
    return { closeCode: CLOSE.internal, error: { code: 'internal_error', message } }
  }
}

const UNAVAILABLE: RefusedSocket = {
  closeCode: CLOSE.tooSlow,
  error: { code: 'unavailable', message: 'The database is not available; try again in a moment.' },
}

/** A key that is unknown or inactive is a bad key here: clients do not retry after 4401, whatever the reason. */
function refuseByStatus({ status, message }: ApiError): RefusedSocket {
  if (status === 401 || status === 403) {
    return { closeCode: CLOSE.unauthorized, error: { code: 'unauthorized', message } }
  }
  if (status === 429) return { closeCode: CLOSE.limit, error: { code: 'rate_limited', message } }
  return UNAVAILABLE
}

const HOUR_MS = 60 * 60_000

/** `undefined`: the plan has no replay that is longer. */
function refuseTooLong({ options }: SocketRequest, { plan }: Caller): RefusedSocket | undefined {
  if ('code' in options || options.replay === undefined || plan.replayHoursMax === null) return undefined
  const { fromMs, toMs } = options.replay
  const hours = Math.ceil((toMs - fromMs) / HOUR_MS)
  if (toMs - fromMs <= plan.replayHoursMax * HOUR_MS) return undefined
  const message = `The ${plan.id} plan replays ${plan.replayHoursMax} hours at a time: move \`to\` closer to \`from\`.`
  const fields = { max: plan.replayHoursMax, requested: hours }
  return { closeCode: CLOSE.limit, error: { code: 'replay_limit', message, fields } }
}

function refuseByLimit(refusal: SessionRefusal, socket: SocketKind, { plan }: Caller): RefusedSocket {
  if (refusal === 'session_limit') return { closeCode: CLOSE.limit, error: OUT_OF_TIME }
  const limit = {
    events: plan.eventSocketsMax,
    orderbook: plan.orderbookSocketsMax,
    replay: plan.replaysMax,
  }[socket]
  const message = `The ${plan.id} plan allows ${limit} connections to this socket at the same time.`
  return { closeCode: CLOSE.limit, error: { code: refusal, message } }
}
