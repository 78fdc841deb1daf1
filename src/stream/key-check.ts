import { type Caller, SESSION_ENDED, UNKNOWN_KEY } from '../accounts/key-ring.js'
import { isSessionDigest } from '../accounts/secret.js'
import { CLOSE } from './connection.js'
import type { Connections } from './connections.js'
import type { StreamDeps } from './deps.js'

type KeyCheckDeps = Pick<StreamDeps, 'keyRing' | 'clock'>

/**
 * Closes connections whose key was revoked or has expired, whose session has ended, whose account was suspended or
 * deleted, or whose plan was changed, some seconds later at most.
 */
export class KeyCheck {
  readonly #deps: KeyCheckDeps
  readonly #connections: Connections
  #checkedRevision: bigint
  #isRunning = false
  #isRequested = false

  constructor(deps: KeyCheckDeps, connections: Connections) {
    this.#deps = deps
    this.#connections = connections
    this.#checkedRevision = deps.keyRing.revision
  }

  /** The next run looks all keys up: one has changed while its connection was being admitted. */
  requestRun(): void {
    this.#isRequested = true
  }

  /** Looks all keys up again if a key or an account has changed since the last time. */
  run(): void {
    const { revision } = this.#deps.keyRing
    const isDue = this.#isRequested || revision !== this.#checkedRevision || this.#hasExpired()
    if (this.#isRunning || !isDue) return
    this.#isRunning = true
    this.#isRequested = false
    void this.#check(revision)
  }

  async #check(revision: bigint): Promise<void> {
    try {
      await this.#closeRefused()
      this.#checkedRevision = revision
    } catch {
      // The database does not answer: the next beat tries again.
      this.#isRequested = true
    } finally {
      this.#isRunning = false
    }
  }

  async #closeRefused(): Promise<void> {
    const { keyRing } = this.#deps
    const callers = new Map<string, Caller | undefined>()
    for (const connection of [...this.#connections]) {
      const { digest } = connection
      if (!callers.has(digest)) callers.set(digest, keyRing.recall(digest) ?? (await keyRing.find(digest)))
      const caller = callers.get(digest)
      if (caller === undefined) {
        const { message, closeReason } = this.#describeRefusal(digest)
        connection.sendError({ code: 'forbidden', message })
        connection.close(CLOSE.forbidden, closeReason)
      } else if (caller.plan !== connection.caller.plan) {
        connection.close(CLOSE.restart, 'the plan has changed: connect again')
      }
    }
  }

  #hasExpired(): boolean {
    const nowMs = this.#deps.clock.now()
    return [...this.#connections].some(({ caller }) => caller.expiresAtMs <= nowMs)
  }

  /** A key that worked and is unknown now was revoked. */
  #describeRefusal(digest: string): { message: string; closeReason: string } {
    const message = isSessionDigest(digest) ? SESSION_ENDED : UNKNOWN_KEY
    const refusal = this.#deps.keyRing.recallRefusal(digest) ?? message
    if (refusal === UNKNOWN_KEY) return REVOKED
    if (refusal === SESSION_ENDED) return { message, closeReason: 'the session has ended' }
    return { message: refusal, closeReason: 'the API key does not work any more' }
  }
}

const REVOKED = { message: 'The API key was revoked.', closeReason: 'the API key was revoked' }
