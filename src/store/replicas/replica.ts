import { codeOf, messageOf, OperatorError } from '../../core/errors.js'
import type { Log } from '../../lib/log.js'
import { withTimeout } from '../../lib/timeout.js'
import { pause } from '../../lib/timing.js'
import { ANSWER_POOL, createPool, type Pool } from '../connection.js'
import { selectDatabaseId } from '../dataset.js'
import { type DatabaseState, selectDatabaseState } from './database-state.js'

/** Between two probes of a replica, and of one that has not replayed yet what reads wait for. */
const PROBE_MS = 200
const AWAITED_PROBE_MS = 20
/** With the pause before it, a replica that hangs is left out within a second. */
const PROBE_TIMEOUT_MS = 400

type ReplicaOptions = {
  url: string
  connections: { light: number; heavy: number }
  log: Log
}

/** The pools of a replica. It gets new ones when a connection was lost. */
export type ReplicaPools = { answers: Pool; heavyAnswers: Pool }

type ProbeResult = { state: DatabaseState } | { refusal: string }

/**
 * A hot standby that answers are read from.
 *
 *   lost      it does not answer, or not in time; the probes go on, and the first answer makes it usable
 *   refused   it is no standby any more, or one of another database; the probes go on likewise
 *   usable    it answers. Whether it has replayed what an answer needs is decided for each
 */
export class Replica {
  /** How it is named to people: without user and password. */
  readonly host: string
  readonly #options: ReplicaOptions
  #pools: ReplicaPools
  // A connection of its own: a busy replica must not look like a lost one.
  #watch: Pool
  #state: DatabaseState | undefined
  #problem: string | undefined = 'not looked at yet'
  /** What an operator has to change; `undefined`: nothing. */
  #refusal: string | undefined
  #isClosed = false
  /** Ends the pause before the next probe. */
  #wake = new AbortController()
  #busy = 0
  #reads = 0
  #repeats = 0

  constructor(options: ReplicaOptions) {
    this.#options = options
    this.host = showHost(options.url)
    this.#pools = this.#createPools()
    this.#watch = this.#createPool(1)
  }

  /** Ask for them at each use. */
  get pools(): ReplicaPools {
    return this.#pools
  }

  /** The state at the last probe: it has replayed at least this. `undefined`: it cannot be used. */
  get state(): DatabaseState | undefined {
    return this.#state
  }

  /** Why it cannot be used; `undefined`: it can. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Queries that run on it or wait for a connection. */
  get busy(): number {
    return this.#busy
  }

  /** Queries since the start. */
  get reads(): number {
    return this.#reads
  }

  /** How many of these reads failed because of the replica. */
  get repeats(): number {
    return this.#repeats
  }

  /** Counts a query until the returned function is called. */
  beginRead(): () => void {
    this.#busy++
    this.#reads++
    return () => {
      this.#busy--
    }
  }

  /** Whether a query that failed with this error is to be repeated on the primary. */
  isToRepeat(error: unknown): boolean {
    if (!isReplicaFault(error)) return false
    this.#repeats++
    return true
  }

  /** Throws an `OperatorError` for a server that is no standby of the primary. One that does not answer may come later. */
  async open(primaryId: string): Promise<void> {
    await this.#probe(primaryId)
    if (this.#refusal !== undefined) throw new OperatorError(`DATABASE_READ_URLS: ${this.#refusal}.`)
  }

  /** Probes it until it is closed. `isAwaited`: whether reads wait for what it has not replayed. */
  async watch(primaryId: string, isAwaited: () => boolean): Promise<void> {
    while (!this.#isClosed) {
      await pause(isAwaited() ? AWAITED_PROBE_MS : PROBE_MS, this.#wake.signal)
      if (this.#wake.signal.aborted) this.#wake = new AbortController()
      if (!this.#isClosed) await this.#probe(primaryId)
    }
  }

  /** Starts the next probe now. */
  probeNow(): void {
    this.#wake.abort()
  }

  async #probe(primaryId: string): Promise<void> {
    const pool = this.#watch
    try {
      const late = `no answer within ${PROBE_TIMEOUT_MS} ms`
      const found = await withTimeout(this.#ask(pool, primaryId), PROBE_TIMEOUT_MS, late)
      // A connection was lost meanwhile: what was found is from before.
      if (pool !== this.#watch) return
      this.#refusal = 'refusal' in found ? found.refusal : undefined
      if ('refusal' in found) this.#lose(found.refusal)
      else this.#accept(found.state)
    } catch (error) {
      if (pool === this.#watch) this.#lose(messageOf(error))
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.probeNow()
    const { answers, heavyAnswers } = this.#pools
    await Promise.all([answers, heavyAnswers, this.#watch].map((pool) => pool.end({ timeout: 0 })))
  }

  /** A server that comes back may be another one. */
  async #ask(pool: Pool, primaryId: string): Promise<ProbeResult> {
    const id = this.#problem === undefined ? primaryId : await selectDatabaseId(pool)
    if (id !== primaryId) {
      return { refusal: `${this.host} is a server of another database than DATABASE_URL has` }
    }
    const { isStandby, ...state } = await selectDatabaseState(pool)
    return isStandby ? { state } : { refusal: `${this.host} is no hot standby: it takes writes of its own` }
  }

  #accept(state: DatabaseState): void {
    if (this.#problem !== undefined) this.#options.log.info({ replica: this.host }, 'replica is used')
    this.#problem = undefined
    this.#state = state
  }

  #lose(problem: string): void {
    if (this.#isClosed) return
    const wasUsable = this.#problem === undefined
    if (this.#problem !== problem) {
      this.#options.log.warn({ replica: this.host, reason: problem }, 'replica is not used')
    }
    this.#problem = problem
    this.#state = undefined
    const lost = [this.#watch, ...(wasUsable ? Object.values(this.#pools) : [])]
    this.#watch = this.#createPool(1)
    if (wasUsable) this.#pools = this.#createPools()
    // What runs on them fails at once, and is repeated on the primary.
    for (const pool of lost) void pool.end({ timeout: 0 }).catch(() => undefined)
  }

  #createPools(): ReplicaPools {
    const { light, heavy } = this.#options.connections
    return { answers: this.#createPool(light), heavyAnswers: this.#createPool(heavy) }
  }

  /** As in the store, the loss of a connection is the end of its pool. */
  #createPool(connectionsMax: number): Pool {
    const onClose = () => {
      const isInUse = [this.#watch, ...Object.values(this.#pools)].includes(pool)
      if (isInUse) this.#lose('a connection was lost')
    }
    const pool = createPool({ url: this.#options.url }, connectionsMax, { onClose, ...ANSWER_POOL })
    return pool
  }
}

/** A host with its port, or the folder of a Unix socket. */
function showHost(text: string): string {
  const { host, searchParams } = new URL(text)
  return searchParams.get('host') ?? host
}

/** Classes of PostgreSQL error codes that are the fault of the server or the connection, not of the query. */
const FAULT_CLASSES = new Set([
  '08', // connection
  '25', // a write, which a standby refuses
  '28', // authorization
  '3D', // database
  '40', // conflict with recovery
  '53', // resources
  '55', // prerequisite state
  '57', // shutdown, not started yet
  '58', // system
  'XX', // internal
])
const OVER_TIME = '57014'

/** Whether a query failed because of the replica, so that it may succeed on the primary. */
function isReplicaFault(error: unknown): boolean {
  const code = codeOf(error)
  if (code === undefined || code === OVER_TIME) return false
  // The driver and Node.js have names for what goes wrong with connections.
  return FAULT_CLASSES.has(code.slice(0, 2)) || /^(?:E[A-Z_]+|CONNECT(?:ION)?_[A-Z_]+)$/.test(code)
}
