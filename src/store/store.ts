import { messageOf, OperatorError } from '../core/errors.js'
import { faultFields } from '../lib/fault-fields.js'
import type { Log } from '../lib/log.js'
import { TimeoutError, withTimeout } from '../lib/timeout.js'
import { pause } from '../lib/timing.js'
import { ANSWER_POOL, createPool, type Pool, type Target } from './connection.js'
import { claimDatabase } from './dataset.js'
import { migrate, readMigrations } from './migrate.js'
import { Replicas } from './replicas/replicas.js'

const PULSE_MS = 1_000
const PULSE_TIMEOUT_MS = 2_000
/** Exports of trades that are read at the same time, each for minutes. */
export const EXPORT_CONNECTIONS = 2
/** Queries of answers that run at a time. The heavy ones leave processors to all others. */
const readsOf = (connectionsMax: number): { light: number; heavy: number } => ({
  light: connectionsMax,
  heavy: Math.max(1, Math.floor(connectionsMax / 8)),
})

/** All connections of the pools of a process, one that watches the database included. */
export function countConnections(connectionsMax: number): number {
  const { light, heavy } = readsOf(connectionsMax)
  return connectionsMax + light + heavy + EXPORT_CONNECTIONS + 1
}

/** The problem of a database that has not answered yet. */
export const STARTING = 'starting'
const BACKOFF_MS = [100, 200, 500, 1_000, 2_000, 5_000]

type StoreOptions = {
  target: Target
  /** What the service fills the database with. */
  dataset: string
  connectionsMax: number
  /** Hot standbys of the database, by URL. */
  readUrls?: readonly string[]
  log: Log
  /** Between two checks of a database that answers. */
  pulseMs?: number
}

/**
 * The database as the service sees it. `starting` until the schema is up to date, then `ready` or,
 * while a lost database is retried with backoff, `lost`; from there back to `ready` by itself.
 */
export class Store {
  readonly #options: StoreOptions
  readonly #stopping = new AbortController()
  #pool: Pool
  #answers: Pool
  #heavyAnswers: Pool
  // A connection of its own: a busy pool must not look like a lost database.
  #pulse: Pool
  #problem: string | undefined = STARTING
  #wasReady = false
  readonly replicas: Replicas

  constructor(options: StoreOptions) {
    this.#options = options
    this.#pool = this.#createPool(options.connectionsMax)
    this.#answers = this.#createPool(options.connectionsMax, ANSWER_POOL)
    this.#heavyAnswers = this.#createPool(this.readsMax.heavy + EXPORT_CONNECTIONS, ANSWER_POOL)
    this.#pulse = this.#createPool(1)
    const { readUrls = [], log } = options
    this.replicas = new Replicas({ urls: readUrls, connections: this.readsMax, log })
  }

  /** Ask for it at each use: after a lost connection it is another pool. */
  get sql(): Pool {
    return this.#pool
  }

  /** The same for answers to callers: a query that takes too long is cancelled. */
  get answers(): Pool {
    return this.#answers
  }

  /** The same for exports, and for accounts that have used up their share of the database's time. */
  get heavyAnswers(): Pool {
    return this.#heavyAnswers
  }

  /** Queries of answers that run at a time, exports aside. */
  get readsMax(): { light: number; heavy: number } {
    return readsOf(this.#options.connectionsMax)
  }

  /** A connection without requests: its queries are not late when the pool is busy. */
  get control(): Pool {
    return this.#pulse
  }

  /** What is wrong, as `/readyz` shows it; `undefined` when the database answers. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Connects, migrates and watches until `close`. Throws only what an operator has to fix. */
  async run(onReady: () => void): Promise<void> {
    const { pulseMs = PULSE_MS } = this.#options
    let failures = 0
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#check()
        if (this.#problem !== undefined) this.#becomeReady(onReady)
        failures = 0
        await pause(pulseMs, this.#stopping.signal)
      } catch (error) {
        if (this.#stopping.signal.aborted) return
        if (error instanceof OperatorError) throw error
        this.#becomeLost(error)
        await pause(BACKOFF_MS[failures++] ?? BACKOFF_MS.at(-1) ?? 0, this.#stopping.signal)
      }
    }
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    const pools = [this.#pool, this.#answers, this.#heavyAnswers]
    await this.replicas.close()
    await Promise.all([...pools.map((pool) => pool.end({ timeout: 0.3 })), this.#pulse.end({ timeout: 0 })])
  }

  get #pools(): Pool[] {
    return [this.#pool, this.#answers, this.#heavyAnswers, this.#pulse]
  }

  async #check(): Promise<void> {
    const answer = this.#pulse`select 1`.then(() => undefined)
    await withTimeout(answer, PULSE_TIMEOUT_MS, `no answer within ${PULSE_TIMEOUT_MS} ms`)
    if (this.#problem === undefined) return
    // At the start, and after each loss: the server that is back may be another one.
    const applied = await migrate(this.#pulse, readMigrations(), { allowsNewer: this.#wasReady })
    await claimDatabase(this.#pulse, this.#options.dataset)
    await this.replicas.open(() => this.#pulse)
    this.#options.log.debug({ applied }, 'schema is up to date')
  }

  #becomeReady(onReady: () => void): void {
    this.#options.log.info('database is ready')
    this.#problem = undefined
    this.#wasReady = true
    onReady()
  }

  #becomeLost(error: unknown): void {
    const problem = `database: ${messageOf(error)}`
    if (this.#problem !== problem) this.#options.log.error(faultFields(error), 'database is not available')
    this.#problem = problem
    // A peer that went silent keeps its sockets open for minutes; only new ones can succeed.
    if (error instanceof TimeoutError) this.#replacePools()
  }

  /**
   * The driver opens a connection that was lost again where it stood: in the middle of an answer,
   * which the next query would get. So the loss of one is the end of its whole pool.
   */
  #createPool(connectionsMax: number, options: Partial<typeof ANSWER_POOL> = {}): Pool {
    const onClose = () => {
      const isInUse = this.#pools.includes(pool)
      if (isInUse && !this.#stopping.signal.aborted) this.#replacePools()
    }
    const pool = createPool(this.#options.target, connectionsMax, { onClose, ...options })
    return pool
  }

  #replacePools(): void {
    for (const pool of this.#pools) void pool.end({ timeout: 0 }).catch(() => undefined)
    this.#pool = this.#createPool(this.#options.connectionsMax)
    this.#answers = this.#createPool(this.#options.connectionsMax, ANSWER_POOL)
    this.#heavyAnswers = this.#createPool(this.readsMax.heavy + EXPORT_CONNECTIONS, ANSWER_POOL)
    this.#pulse = this.#createPool(1)
  }
}
