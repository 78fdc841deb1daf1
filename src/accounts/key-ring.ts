import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.js'
import { limitCount } from '../lib/limit-count.js'
import type { Pool } from '../store/connection.js'
import type { Plan, Plans } from './plans.js'
import { type KeyOwner, type KeyScope, selectKeyOwner, selectRevisions } from './queries.js'
import { isSessionDigest, toHash } from './secret.js'
import { selectSessionOwner } from './session-queries.js'

/** The sender of a request: the key, the account that owns it, and what its plan grants. */
export type Caller = {
  keyId: number
  accountId: number
  plan: Plan
  scope: KeyScope
  /** Of the key, or of the session that stands for it where that ends before. Infinity: until the key is revoked. */
  expiresAtMs: number
}

/** Two pools of the same database: queries on `control` never queue behind requests. */
type KeyStore = { readonly sql: Pool; readonly control: Pool }
type KeyRingDeps = { store: KeyStore; plans: Plans; clock: Clock }

/** How often `sync` should run. With TRUST_MS it keeps the promise that a revoked key ends within 1 s. */
export const SYNC_MS = 250
const TRUST_MS = 700

const CALLERS_MAX = 100_000
const SESSIONS_MAX = 20_000

export const UNKNOWN_KEY = 'Invalid or inactive API key.'
export const SESSION_ENDED = 'This session has ended. Sign in again.'

/**
 * The keys that this process has seen, and the sessions that stand for keys, by their digests. Memory answers while the accounts' revision was read less
 * than TRUST_MS ago, and the database otherwise: a process that is cut off or stalled never lets a
 * revoked key pass. Real time is measured here, not the service's clock, because other processes
 * revoke.
 */
export class KeyRing {
  readonly #deps: KeyRingDeps
  readonly #callers = new Map<string, Caller>()
  readonly #sessions = new Map<string, Caller>()
  // Why keys were refused. Apart, so that a client that tries random keys pushes out no caller.
  readonly #refused = new LRUCache<string, string>(limitCount(10_000))
  /** Under way, and begun after the last change that `sync` has seen. */
  readonly #lookups = new Map<string, Promise<Caller | undefined>>()
  #revision = -1n
  #sessionsRevision = -1n
  #syncedAt = Number.NEGATIVE_INFINITY

  constructor(deps: KeyRingDeps) {
    this.#deps = deps
  }

  /** Moves whenever a key or an account has changed, or a session has ended. */
  get revision(): bigint {
    return this.#revision + this.#sessionsRevision
  }

  /** The caller of a key or session that this process has seen lately; `undefined`: ask `find`. */
  recall(digest: string): Caller | undefined {
    if (performance.now() - this.#syncedAt >= TRUST_MS) return undefined
    const caller = this.#callers.get(digest) ?? this.#sessions.get(digest)
    if (caller === undefined || caller.expiresAtMs > this.#deps.clock.now()) return caller
    return undefined
  }

  /** Whether the key or session can be refused without asking the database, and why. `undefined`: ask `find`. */
  recallRefusal(digest: string): string | undefined {
    return this.#refused.get(digest)
  }

  /** The caller of a key or session that works; `undefined`: it does not, and `recallRefusal` says why. */
  async find(digest: string): Promise<Caller | undefined> {
    if (this.#refused.has(digest)) return undefined
    return await (this.#lookups.get(digest) ?? this.#lookUp(digest))
  }

  /** Reads the revisions and forgets what they are of when they have moved. */
  async sync(): Promise<void> {
    const queriedAt = performance.now()
    const { revision, sessionsRevision } = await selectRevisions(this.#deps.store.control)
    if (revision !== this.#revision) {
      this.#callers.clear()
      this.#sessions.clear()
      // An account that was suspended may be active again.
      this.#refused.clear()
      this.#revision = revision
      this.#lookups.clear()
    }
    if (sessionsRevision !== this.#sessionsRevision) {
      this.#sessions.clear()
      this.#lookups.clear()
      this.#sessionsRevision = sessionsRevision
    }
    this.#syncedAt = queriedAt
  }

  #lookUp(digest: string): Promise<Caller | undefined> {
    const lookup = this.#ask(digest).finally(() => {
      if (this.#lookups.get(digest) === lookup) this.#lookups.delete(digest)
    })
    this.#lookups.set(digest, lookup)
    return lookup
  }

  async #ask(digest: string): Promise<Caller | undefined> {
    const { revision } = this
    const { sql } = this.#deps.store
    const isSession = isSessionDigest(digest)
    const owner = await (isSession ? selectSessionOwner : selectKeyOwner)(sql, toHash(digest))
    const unknown = isSession ? SESSION_ENDED : UNKNOWN_KEY
    const { caller, refusal = unknown } = owner === undefined ? {} : this.#judge(owner)
    // The answer may be older than a change that `sync` has seen meanwhile; then it is not kept.
    if (revision !== this.revision) return caller
    if (caller === undefined) this.#refused.set(digest, refusal)
    else if (isSession) remember(this.#sessions, digest, caller, SESSIONS_MAX)
    else remember(this.#callers, digest, caller, CALLERS_MAX)
    return caller
  }

  #judge(owner: KeyOwner): { caller?: Caller; refusal?: string } {
    const { keyId, accountId, scope, expiresAt, sessionExpiresAt, isSuspended, suspendedReason } = owner
    const { plans, clock } = this.#deps
    const plan = plans.of(accountId, owner.plan)
    const keyExpiresAtMs = expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
    const expiresAtMs = Math.min(keyExpiresAtMs, sessionExpiresAt?.getTime() ?? Number.POSITIVE_INFINITY)
    if (isSuspended) {
      const reason = suspendedReason === null ? '.' : `: ${suspendedReason}`
      return { refusal: `The account of this API key is suspended${reason}` }
    }
    if (keyExpiresAtMs <= clock.now()) {
      return { refusal: `This API key expired at ${expiresAt?.toISOString()}.` }
    }
    if (expiresAtMs <= clock.now()) return { refusal: SESSION_ENDED }
    if (plan === undefined) {
      return { refusal: `This server does not know the plan '${owner.plan}' of this API key.` }
    }
    return { caller: { keyId, accountId, plan, scope, expiresAtMs } }
  }
}

// The oldest goes first. Which one hardly matters: it costs one lookup to be back.
function remember(callers: Map<string, Caller>, digest: string, caller: Caller, callersMax: number): void {
  callers.set(digest, caller)
  if (callers.size <= callersMax) return
  const [oldest = ''] = callers.keys()
  callers.delete(oldest)
}
