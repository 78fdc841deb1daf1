import type { Log } from '../../lib/log.js'
import { withTimeout } from '../../lib/timeout.js'
import { pause } from '../../lib/timing.js'
import type { Pool } from '../connection.js'
import { selectDatabaseId } from '../dataset.js'
import { type DatabaseState, hasReached, type StatePoint, selectDatabaseState } from './database-state.js'
import { Replica } from './replica.js'

/** Between two probes of the primary. */
const PROBE_MS = 200
const PROBE_TIMEOUT_MS = 2_000
/** A replica shows everything that the primary showed this long ago, or is not used. */
export const REPLICA_LAG_MS_MAX = 1_000

type ReplicasOptions = {
  urls: readonly string[]
  connections: { light: number; heavy: number }
  log: Log
}

/** What an answer needs of the server that it is read from, beside the block that it names. */
export type ReadNeed = {
  /** What a page before it was read from, or more. */
  since?: StatePoint | undefined
  /** Where the primary was after the request came, for a client that knows a block of an earlier answer. */
  fork?: Pick<StatePoint, 'block' | 'reorg'> | undefined
}

/** The primary at a moment. `head`: what this process then took for the last block. */
type Seen = { atMs: number; head: unknown; state: DatabaseState }

/**
 * The hot standbys of the database. An answer may be read from one that shows what the primary showed at a moment since
 * which this process has learned of no new block, at most a second ago.
 *
 * Each probe of the primary, five times a second, records such a moment. Of the recorded moments that are new enough
 * replicas are compared with the oldest, because they need a while to replay the newest.
 */
export class Replicas {
  readonly all: readonly Replica[]
  #primaryReads = 0
  #control: (() => Pool) | undefined
  /** The oldest first. */
  #seen: Seen[] = []
  #chain: { readonly head: unknown } = { head: undefined }
  #isClosed = false
  #wake = new AbortController()
  #next = 0

  constructor({ urls, ...shared }: ReplicasOptions) {
    this.all = urls.map((url) => new Replica({ ...shared, url }))
  }

  /** What this process takes for the last block, as an object that is another one after each change. */
  follow(chain: { readonly head: unknown }): void {
    this.#chain = chain
  }

  /**
   * Watches primary and replicas until `close`. Throws an `OperatorError` for a server that is no standby of the primary.
   * `control`: a connection to the primary that never waits for others.
   */
  async open(control: () => Pool): Promise<void> {
    if (this.all.length === 0 || this.#control !== undefined) return
    const primaryId = await selectDatabaseId(control())
    await Promise.all(this.all.map((replica) => replica.open(primaryId)))
    this.#control = control
    await this.#probe()
    void this.#watch()
    for (const replica of this.all) void replica.watch(primaryId, () => this.#isAwaited(replica))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#wake.abort()
    await Promise.all(this.all.map((replica) => replica.close()))
  }

  /** The least busy replica that has what the answer needs, in round-robin order among equals; `undefined`: none. */
  choose({ since, fork }: ReadNeed): Replica | undefined {
    const wanted = this.#findWanted(fork)
    if (wanted === undefined) {
      if (this.all.length > 0) this.#wake.abort()
      return undefined
    }
    let chosen: Replica | undefined
    const first = this.#next++
    for (let index = 0; index < this.all.length; index++) {
      const replica = this.all[(first + index) % this.all.length]
      const state = replica?.state
      if (replica === undefined || state === undefined) continue
      if (!hasReached(state, wanted) || (since !== undefined && !hasReached(state, since))) continue
      if (chosen === undefined || replica.busy < chosen.busy) chosen = replica
    }
    return chosen
  }

  /** Queries that could be read from replicas, and that the primary got. */
  get primaryReads(): number {
    return this.#primaryReads
  }

  beginPrimaryRead(): () => void {
    this.#primaryReads++
    return () => undefined
  }

  /** Bytes of the write-ahead log that a replica has not replayed yet; `undefined`: not known. */
  lagOf({ state }: Replica): number | undefined {
    const newest = this.#seen.at(-1)
    if (state === undefined || newest === undefined) return undefined
    return Math.max(0, Number(newest.state.position - state.position))
  }

  /** Whether it lacks what the primary showed longer ago than a replica may. */
  isBehind({ state }: Replica): boolean {
    const nowMs = performance.now()
    const old = this.#seen.findLast(({ atMs }) => atMs <= nowMs - REPLICA_LAG_MS_MAX)
    return state !== undefined && old !== undefined && !hasReached(state, old.state)
  }

  #isAwaited({ state }: Replica): boolean {
    const wanted = this.#findWanted()
    return state !== undefined && wanted !== undefined && !hasReached(state, wanted) && !this.#isStuck(state)
  }

  /** A replica that has been behind for long is probed no more often than all others. */
  #isStuck(state: DatabaseState): boolean {
    const [oldest] = this.#seen
    return oldest !== undefined && !hasReached(state, oldest.state)
  }

  #findWanted(fork?: ReadNeed['fork']): DatabaseState | undefined {
    const sinceMs = performance.now() - REPLICA_LAG_MS_MAX
    const { head } = this.#chain
    const isEnough = (seen: Seen) =>
      seen.head === head &&
      seen.atMs >= sinceMs &&
      (fork === undefined || (seen.state.reorg === fork.reorg && seen.state.block >= fork.block))
    return this.#seen.find(isEnough)?.state
  }

  async #watch(): Promise<void> {
    while (!this.#isClosed) {
      await pause(PROBE_MS, this.#wake.signal)
      if (this.#wake.signal.aborted) this.#wake = new AbortController()
      if (!this.#isClosed) await this.#probe()
    }
  }

  /** The store reports a primary that does not answer. Without a probe of it replicas are soon not used any more. */
  async #probe(): Promise<void> {
    const { head } = this.#chain
    const atMs = performance.now()
    if (this.#control === undefined) return
    try {
      const query = selectDatabaseState(this.#control())
      const state = await withTimeout(query, PROBE_TIMEOUT_MS, 'the primary does not answer')
      const isKnown = (seen: Seen) => atMs - seen.atMs <= 2 * REPLICA_LAG_MS_MAX
      this.#seen = [...this.#seen.filter(isKnown), { atMs, head, state }]
      for (const replica of this.all) if (this.#isAwaited(replica)) replica.probeNow()
    } catch {
      await pause(PROBE_MS)
    }
  }
}
