import type { Caller } from '../accounts/key-ring.js'
import { digestSecret } from '../accounts/secret.js'
import { isOutage } from '../core/database-fault.js'
import { ApiError } from '../core/errors.js'
import { findSecret } from '../http/guard.js'
import { pollUntil } from '../lib/timing.js'
import type { SessionRefusal, SocketSession } from '../sessions/socket-sessions.js'
import { type Connections, OUT_OF_TIME } from './connections.js'
import type { StreamDeps } from './deps.js'
import { CLOSE, type SocketError } from './socket-error.js'
import type { SocketKind, SocketRequest } from './upgrade.js'

/** While the service starts, clients wait this long for the database, and are then sent away. */
const DATABASE_MS_MAX = 8_000

export type AdmittedSocket = { caller: Caller; digest: string; session: SocketSession }
export type RefusedSocket = { closeCode: number; error: SocketError }

type AdmissionContext = Pick<StreamDeps, 'admission' | 'socketSessions' | 'usage' | 'store' | 'floodLog'>

/** Decides on clients that connect: by their key, then by the limits of its plan. */
export class SocketAdmission {
  readonly #ctx: AdmissionContext
  readonly #connections: Connections
  readonly #closing = new AbortController()

  constructor(ctx: AdmissionContext, connections: Connections) {
    this.#ctx = ctx
    this.#connections = connections
  }

  async admit(wanted: SocketRequest): Promise<AdmittedSocket | RefusedSocket> {
    try {
      const secret = findSecret(wanted)
      const digest = digestSecret(secret ?? '')
      if (digest !== undefined) await this.#untilDatabase()
      const caller = await this.#ctx.admission.identify(secret, { ip: wanted.address })
      const verdict = await this.#takePlace(caller, wanted.socket)
      if ('refusal' in verdict) return refuseByLimit(verdict.refusal, wanted.socket, caller)
      this.#ctx.usage.note(caller)
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
    const { store } = this.#ctx
    const isReady = () => store.problem === undefined
    const { signal } = this.#closing
    if (!isReady()) await pollUntil(isReady, { everyMs: 50, timeoutMs: DATABASE_MS_MAX, signal })
  }

  async #takePlace(caller: Caller, socket: SocketKind) {
    const { socketSessions } = this.#ctx
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
    this.#ctx.floodLog.write('error', 'socket not admitted', () => ({ err: error }))
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

function refuseByLimit(refusal: SessionRefusal, socket: SocketKind, { plan }: Caller): RefusedSocket {
  if (refusal === 'session_limit') return { closeCode: CLOSE.limit, error: OUT_OF_TIME }
  const limit = socket === 'events' ? plan.eventSocketsMax : plan.orderbookSocketsMax
  const message = `The ${plan.id} plan allows ${limit} connections to this socket at the same time.`
  return { closeCode: CLOSE.limit, error: { code: refusal, message } }
}
