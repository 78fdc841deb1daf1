import { LRUCache } from 'lru-cache'
import type { Pool } from '../store/connection.js'
import { PLANS, type Plan } from './plans.js'
import { selectKeyOwner, selectRevision } from './queries.js'
import { toHash } from './secret.js'

/** The sender of a request: the key, the account that owns it, and what its plan grants. */
export type Caller = { keyId: number; accountId: number; plan: Plan }

/** Two pools of the same database: queries on `control` never queue behind requests. */
type KeyStore = { readonly sql: Pool; readonly control: Pool }

/** How often `sync` should run. With TRUST_MS it keeps the promise that a revoked key ends within 1 s. */
export const SYNC_MS = 250
const TRUST_MS = 700

const CALLERS_MAX = 100_000

/**
 * The keys that this process has seen, by their digests. Memory answers while the accounts' revision was read less
 * than TRUST_MS ago, and the database otherwise: a process that is cut off or stalled never lets a
 * revoked key pass. Real time is measured here, not the service's clock, because other processes
 * revoke.
 */
export class KeyRing {
  readonly #store: KeyStore
  readonly #callers = new Map<string, Caller>()
  // Kept apart, so that a client that tries random keys pushes out no caller.
  readonly #unknown = new LRUCache<string, true>({ max: 10_000 })
  readonly #lookups = new Map<string, Promise<Caller | undefined>>()
  #revision = -1n
  #syncedAt = Number.NEGATIVE_INFINITY

  constructor(store: KeyStore) {
    this.#store = store
  }

  /** Moves whenever a key or an account has changed. */
  get revision(): bigint {
    return this.#revision
  }

  /** The caller of a key that this process has seen lately; `undefined`: ask `find`. */
  recall(digest: string): Caller | undefined {
    if (performance.now() - this.#syncedAt >= TRUST_MS) return undefined
    return this.#callers.get(digest)
  }

  /** Whether the database had no such key. It is never made later: keys are random. */
  isUnknown(digest: string): boolean {
    return this.#unknown.has(digest)
  }

  /** The caller of an active key; `undefined` when there is no such key. */
  async find(digest: string): Promise<Caller | undefined> {
    if (this.#unknown.has(digest)) return undefined
    return await (this.#lookups.get(digest) ?? this.#lookUp(digest))
  }

  /** Reads the revision and forgets everything when it has moved. */
  async sync(): Promise<void> {
    const askedAt = performance.now()
    const revision = await selectRevision(this.#store.control)
    if (revision !== this.#revision) {
      this.#callers.clear()
      this.#revision = revision
    }
    this.#syncedAt = askedAt
  }

  #lookUp(digest: string): Promise<Caller | undefined> {
    const lookup = this.#ask(digest).finally(() => this.#lookups.delete(digest))
    this.#lookups.set(digest, lookup)
    return lookup
  }

  async #ask(digest: string): Promise<Caller | undefined> {
    const revision = this.#revision
    const owner = await selectKeyOwner(this.#store.sql, toHash(digest))
    if (owner === undefined) {
      this.#unknown.set(digest, true)
      return undefined
    }
    const caller = { keyId: owner.keyId, accountId: owner.accountId, plan: PLANS[owner.plan] }
    // The answer may be older than a change that `sync` has seen meanwhile; then it is not kept.
    if (revision === this.#revision) this.#remember(digest, caller)
    return caller
  }

  // The oldest goes first. Which one hardly matters: it costs one lookup to be back.
  #remember(digest: string, caller: Caller): void {
    this.#callers.set(digest, caller)
    if (this.#callers.size <= CALLERS_MAX) return
    const [oldest = ''] = this.#callers.keys()
    this.#callers.delete(oldest)
  }
}
