import type { Registry } from 'prom-client'
import type { Config } from '../config/config.js'
import { type ChainStatus, moveHead } from '../core/chain-status.js'
import type { Clock } from '../core/clock.js'
import { messageOf } from '../core/errors.js'
import type { Log } from '../lib/log.js'
import { createPool, type Sql, type Target } from '../store/connection.js'
import type { PolygonClient } from '../upstreams/polygon/client.js'
import type { PolygonListener } from '../upstreams/polygon/socket.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { Follower } from './follow/follower.js'
import type { OpenSocket } from './follow/head-watch.js'
import { withLease } from './follow/lease.js'
import { createFollowMetrics, FollowStatus } from './follow/status.js'
import { countQuarantined, selectFillsByBlock } from './queries.js'
import { ChainWatch } from './watch/chain-watch.js'
import { FILL_RATE_BLOCKS } from './watch/fill-rate.js'
import { type BlockListener, BlockWriter } from './write/block-writer.js'

export type IngestOptions = {
  config: Pick<Config, 'fromBlock'>
  target: Target
  upstreams: Upstreams
  polygon: PolygonClient
  /** Publishes what is booked and what is pending. */
  live: LivePublisher
  /** Brought up to date by `report`. */
  status: ChainStatus
  registry: Registry
  clock: Clock
  log: Log
}

export type LivePublisher = BlockListener &
  Required<Pick<PolygonListener, 'onPending'>> & {
    /** Called before this process books, also when it goes on after a failure. */
    lead(sql: Sql): Promise<void>
    /** Another process may book from now on. */
    follow(): void
  }

/** About a day: how far back a new database begins, unless a setting names a block. */
const FIRST_BLOCKS = 43_200

/** Books the chain into the database whenever no other process does. */
export class Ingest {
  readonly #options: IngestOptions
  readonly #following: FollowStatus
  readonly #watch: ChainWatch
  #hasServed = false

  constructor(options: IngestOptions) {
    this.#options = options
    const { clock, registry } = options
    this.#watch = new ChainWatch(registry)
    this.#following = new FollowStatus(clock, createFollowMetrics(registry), () => this.report())
  }

  /** Ends when the signal aborts. */
  run(signal: AbortSignal): Promise<void> {
    const { target, live, log } = this.#options
    const onStandby = () => {
      live.follow()
      this.#following.enter('standby')
    }
    return withLease({ target, log, onStandby }, (term) => this.#lead(term), signal)
  }

  get warnings(): string[] {
    return this.#watch.warnings
  }

  /** Brings what `/v1/status` and `/readyz` show up to date. */
  report(): void {
    const { status } = this.#options
    const { phase, head, problem, cursor } = this.#following
    this.#hasServed ||= phase === 'live' || phase === 'standby'
    status.follower = {
      // Whether another process books is not known before the lease was tried.
      phase: phase === 'idle' ? 'catching_up' : phase,
      nodeBlock: head?.block,
      problem,
      hasServed: this.#hasServed,
    }
    status.isNodeConnected = head !== undefined && problem === undefined
    status.quarantined = this.#watch.quarantined
    if (cursor === undefined || phase === 'standby') return
    moveHead(status, cursor)
  }

  async #lead(term: AbortSignal): Promise<void> {
    try {
      await this.#follow(term)
    } catch (error) {
      if (term.aborted) this.#following.enter('idle')
      // It is tried again soon. Until then `/v1/status` shows why nothing is booked.
      else this.#following.enter('stopped', `the chain cannot be booked: ${messageOf(error)}`)
      throw error
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { polygon, target, upstreams, live, log } = this.#options
    const status = this.#following
    const pool = createPool(target, 1)
    try {
      const report = () => {
        status.onCursor(writer.cursor)
        this.report()
      }
      const listeners = [{ onBooked: () => report, onReverted: report }, live, this.#watch]
      await live.lead(pool)
      const writer: BlockWriter = await BlockWriter.open({ pool, listeners })
      // Only an empty ledger needs the node for this, which may be down.
      const startBlock = writer.cursor?.block ?? (await this.#startBlock(signal))
      await this.#seedWatch(pool, startBlock)
      const openSocket: OpenSocket = (listener) =>
        upstreams.followPolygon({ ...listener, onPending: (tx) => live.onPending(tx) })
      const shared = { polygon, openSocket, status, log }
      await new Follower({ ...shared, sink: writer, startBlock }).run(signal)
    } finally {
      await pool.end({ timeout: 1 })
    }
  }

  async #startBlock(signal: AbortSignal): Promise<number> {
    const { polygon, config } = this.#options
    return config.fromBlock ?? Math.max(0, (await polygon.getBlockNumber(signal)) - FIRST_BLOCKS)
  }

  async #seedWatch(sql: ReturnType<typeof createPool>, block: number): Promise<void> {
    this.#watch.start({
      fillsByBlock: await selectFillsByBlock(sql, block - FILL_RATE_BLOCKS),
      quarantined: await countQuarantined(sql),
    })
  }
}
